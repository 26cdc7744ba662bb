"""Official O*NET releases: reads them, checks them and merges them into the content."""
