"""Other tools' memories, read where they lie and taken in through the same privacy as everything else."""
