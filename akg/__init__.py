"""The `akg` command and the local OpenSearch node. No search or graph logic."""
