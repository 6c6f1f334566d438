"""`python -m contracts.schema` prints the JSON schema of everything the web exchanges."""

import json

from contracts.api import Everything


def schema() -> str:
    return json.dumps(Everything.model_json_schema(mode="serialization"), indent=2, sort_keys=True)


if __name__ == "__main__":
    print(schema())
