%%% @doc A cache with expiry.
-module(cache).
-behaviour(gen_server).

-include("cache.hrl").
-include_lib("kernel/include/logger.hrl").
-import(lists, [map/2, foldl/3]).

-export([start_link/1, get/2, put/3]).
-export([init/1, handle_call/3]).
-export_type([key/0]).

-define(TIMEOUT, 5000).
-define(LOG(Format, Args), io:format(Format, Args)).

-record(state, {
    table :: ets:tid(),
    ttl = 60 :: pos_integer(),
    hits = 0
}).

-type key() :: binary() | atom().
-opaque entry() :: {key(), term()}.

-callback expire(key()) -> ok.

%% @doc Starts a cache.
-spec start_link(pos_integer()) -> {ok, pid()}.
start_link(Ttl) ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, [Ttl], []).

-spec get(pid(), key()) -> {ok, term()} | none.
get(Cache, Key) ->
    gen_server:call(Cache, {get, Key}, ?TIMEOUT).

put(Cache, Key, Value) ->
    gen_server:cast(Cache, {put, Key, Value}).

init([Ttl]) ->
    Table = ets:new(?MODULE, [set, private]),
    {ok, #state{table = Table, ttl = Ttl}}.

% Answers questions.
handle_call({get, Key}, _From, State = #state{table = Table}) ->
    case ets:lookup(Table, Key) of
        [{Key, Value, Time}] when Time > 0 ->
            {reply, {ok, Value}, count(State)};
        [] ->
            {reply, none, State}
    end;
handle_call(stop, _From, State) ->
    ?LOG("stopped ~p~n", [State]),
    {stop, normal, ok, State}.

count(State) ->
    State#state{hits = State#state.hits + 1}.

sum([]) -> 0;
sum([Head | Tail]) ->
    Head + sum(Tail).

expire_all(Keys) ->
    Expire = fun(Key) -> ets:delete(cache, Key) end,
    lists:foreach(Expire, Keys),
    map(fun sum/1, Keys),
    spawn(fun() -> start_link(10) end).
