"""From a reading to a change: names, effects, texts, hashes, versions. The same for every kind of source."""
