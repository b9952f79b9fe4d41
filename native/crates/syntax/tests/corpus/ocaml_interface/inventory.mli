(** Keeps track of what is in stock. *)

open Base

type sku = string

(** What may go wrong. *)
type error =
  | Unknown of sku
  | Out_of_stock

type t

exception Closed of string

val max_items : int

(** [create name] makes an empty inventory. *)
val create : string -> t

val take : t -> sku -> int -> (int, error) Result.t
(** Takes some of an item. *)

external now : unit -> float = "caml_now"

val ( |>> ) : 'a -> ('a -> 'b) -> 'b

module type STORE = sig
  type t

  val find : t -> sku -> int option
end

module Memory : STORE

module Cached (Inner : STORE) : sig
  include STORE

  val clear : t -> unit
end

class counter : int -> object
  inherit Base.observer
  val mutable count : int
  method increment : unit
end
