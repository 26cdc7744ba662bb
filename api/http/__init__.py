"""HTTP concerns shared by all transports: envelope, response cache, request policy."""
