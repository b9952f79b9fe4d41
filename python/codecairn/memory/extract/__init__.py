"""From a session's events to facts and summaries, by models or by rules; the core's own rules run while recording."""
