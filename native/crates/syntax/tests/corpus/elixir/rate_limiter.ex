# Token buckets, one process for each name.
defmodule Gate.RateLimiter do
  @moduledoc """
  Limits how often something may happen.
  """

  use GenServer, restart: :transient
  import Gate.Time, only: [now: 0]
  alias Gate.{Bucket, Clock}
  alias Gate.Store.Memory, as: Store
  require Logger

  @behaviour Gate.Limiter

  @default_rate 10
  @timeout :timer.seconds(5)

  @typedoc "How a limiter is set up."
  @type options :: [rate: pos_integer(), name: atom()]
  @opaque state :: %__MODULE__{}
  @callback allow?(atom()) :: boolean()

  defstruct name: nil, rate: @default_rate, buckets: %{}

  defguardp is_rate(rate) when is_integer(rate) and rate > 0

  @doc """
  Starts a limiter.

      iex> Gate.RateLimiter.start_link(name: :api)
  """
  @spec start_link(options()) :: GenServer.on_start()
  def start_link(options \\ []) do
    name = Keyword.fetch!(options, :name)
    GenServer.start_link(__MODULE__, options, name: name)
  end

  @doc "Whether one more is allowed."
  @spec allow?(GenServer.server(), term()) :: boolean()
  def allow?(server, key), do: GenServer.call(server, {:allow, key}, @timeout)

  @impl true
  def init(options) do
    {:ok, struct!(__MODULE__, options)}
  end

  @impl true
  def handle_call({:allow, key}, _from, %{rate: rate} = state) when is_rate(rate) do
    bucket = Map.get_lazy(state.buckets, key, fn -> Bucket.new(rate) end)

    case Bucket.take(bucket, Clock.monotonic()) do
      {:ok, bucket} -> {:reply, true, put_bucket(state, key, bucket)}
      :empty -> {:reply, false, state}
    end
  end

  # Keeps the state small.
  defp put_bucket(state, key, bucket) do
    state
    |> Map.update!(:buckets, &Map.put(&1, key, bucket))
    |> prune()
  end

  defp prune(%__MODULE__{} = state), do: Store.prune(state)

  defdelegate reset(server), to: Gate.Control

  defmacro limited(name, do: block) do
    quote do
      if Gate.RateLimiter.allow?(unquote(name), self()), do: unquote(block)
    end
  end

  defmodule Stats do
    defstruct hits: 0
    def hit(%Stats{hits: hits} = stats), do: %Stats{stats | hits: hits + 1}
  end
end

defprotocol Gate.Describe do
  @doc "A short text."
  def describe(value)
end

defimpl Gate.Describe, for: Gate.RateLimiter do
  def describe(limiter), do: "limiter #{limiter.name}"
end

defmodule Gate.Error do
  defexception [:message]
end
