"""Language models: requests, responses, costs. Only a provider that the user's own settings name is called."""
