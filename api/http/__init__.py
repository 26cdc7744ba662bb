"""HTTP concerns shared by all transports."""
