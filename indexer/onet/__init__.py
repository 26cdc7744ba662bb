"""Official O*NET releases: what their files look like, and how they become tables that a build can join."""
