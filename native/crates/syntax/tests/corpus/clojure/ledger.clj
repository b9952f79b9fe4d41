;; A ledger in memory.
(ns bank.ledger
  "Entries and balances."
  (:require [clojure.string :as str]
            [clojure.set :refer [union difference]]
            bank.clock)
  (:import (java.time Instant Duration)
           java.util.UUID))

(def max-entries 1000)
(def ^:private default-name "main")
(defonce ledgers (atom {}))

(declare balance)

(defprotocol Store
  "Where entries are kept."
  (add-entry [this entry] "Adds one entry.")
  (entries [this]))

(defrecord Entry [account amount at])

(deftype Counter [^:unsynchronized-mutable n]
  clojure.lang.IDeref
  (deref [_] n))

(defrecord MemoryStore [state]
  Store
  (add-entry [this entry]
    (swap! state conj entry)
    this)
  (entries [this] @state))

(extend-type String
  Store
  (entries [this] (str/split this #",")))

(defn make-store
  "Makes an empty store."
  []
  (->MemoryStore (atom [])))

; Adds up one account.
(defn balance
  ([store account] (balance store account 0))
  ([store account start]
   (let [mine (filter #(= account (:account %)) (entries store))
         add (fn [total entry] (+ total (:amount entry)))]
     (reduce add start mine))))

(defn- checked [amount]
  (when (neg? amount)
    (throw (IllegalArgumentException. "negative")))
  amount)

(defmacro with-store [[name] & body]
  `(let [~name (make-store)]
     ~@body))

(defmulti describe :kind)

(defmethod describe :credit [entry]
  (str "credit " (:amount entry)))

(s/def ::amount pos-int?)

(comment
  (balance (make-store) "a"))

(deftest balances
  (testing "an empty store"
    (is (= 0 (balance (make-store) "a")))
    (.toString (Instant/now))
    (Entry. "a" 1 nil)))
