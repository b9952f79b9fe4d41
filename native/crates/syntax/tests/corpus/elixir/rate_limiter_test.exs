defmodule Gate.RateLimiterTest do
  use ExUnit.Case, async: true

  setup do
    {:ok, server: start_supervised!(Gate.RateLimiter)}
  end

  describe "allow?/2" do
    test "refuses when the bucket is empty", %{server: server} do
      for _ <- 1..10, do: assert Gate.RateLimiter.allow?(server, :key)
      refute Gate.RateLimiter.allow?(server, :key)
    end
  end
end
