"""The few things all Durable Objects need: SQL, ids, envelopes between objects, the JS border."""
