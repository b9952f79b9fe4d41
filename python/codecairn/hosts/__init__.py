"""The programs that run agents: their configuration files, and how codecairn is added to them and removed."""
