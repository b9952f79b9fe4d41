"""What older versions have left must be of use to this one."""
