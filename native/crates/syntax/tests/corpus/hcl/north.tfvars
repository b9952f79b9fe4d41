# The station at the north pier.
region = "eu-north-1"

piers = {
  north = 2
  south = 1
}
