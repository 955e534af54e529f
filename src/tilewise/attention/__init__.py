"""Floor 2: `tilewise.flash_attention`, its relatives, and what they stand on."""
