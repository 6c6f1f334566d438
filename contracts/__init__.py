"""What the parts of Berth promise each other, and what the web is told.

Numbers (`limits`), words (`states`), failures (`errors`), the HTTP bodies (`api`), the thread's
record (`events`) and the tools a model sees (`tools`). Nothing here imports anything of ours, and
`python -m contracts.schema` prints the JSON schema from which the web's types are generated.
"""
