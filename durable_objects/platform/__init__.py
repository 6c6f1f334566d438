"""Platform: the one object of a deployment. It keeps the record that operators may see, and who there is."""
