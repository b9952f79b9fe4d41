(** Keeps track of what is in stock. *)

open Printf
open! Base.Infix
module StringMap = Map.Make (String)
module L = List
include Comparable

type sku = string

(** What may go wrong. *)
type error =
  | Unknown of sku
  | Out_of_stock of { sku : sku; wanted : int }

type 'a item = {
  sku : sku;
  mutable quantity : int;
  payload : 'a;
}

exception Closed of string
exception Timeout

external now : unit -> float = "caml_now"

let max_items = 1_000
let default_name, fallback = ("main", "other")

module type STORE = sig
  type t

  val create : string -> t
  (** Makes an empty store. *)

  val find : t -> sku -> int option
end

(** A store in memory. *)
module Memory : STORE = struct
  type t = { name : string; mutable items : int StringMap.t }

  let create name = { name; items = StringMap.empty }

  let find store sku = StringMap.find_opt sku store.items
end

module Cached (Inner : STORE) = struct
  include Inner

  let cache = Hashtbl.create 16

  let find store sku =
    match Hashtbl.find_opt cache sku with
    | Some found -> found
    | None ->
      let found = Inner.find store sku in
      Hashtbl.add cache sku found;
      found
end

(* Takes some of an item. *)
let take store sku amount =
  let check quantity = quantity >= amount in
  match Memory.find store sku with
  | None -> Error (Unknown sku)
  | Some quantity when not (check quantity) ->
    raise (Closed sku)
  | Some quantity -> Ok (quantity - amount)

let rec even n = n = 0 || odd (n - 1)

and odd n = n <> 0 && even (n - 1)

let ( |>> ) value f = f value

let describe : 'a item -> string = function
  | { sku; quantity; _ } -> sprintf "%s: %d" sku quantity

class counter start = object (self)
  inherit Base.observer as super
  val mutable count = start
  method increment = count <- count + 1
  method private report = print_int count
  initializer self#report
end

class type readable = object
  method read : string
end

let () =
  let store = Memory.create "main" in
  let c = new counter 3 in
  c#increment;
  take store "apple" 2 |> Result.iter print_int
