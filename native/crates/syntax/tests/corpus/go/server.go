// Package server answers requests.
package server

import (
	"context"
	"fmt"
	. "strings"

	log "github.com/acme/logging"
	_ "net/http/pprof"
)

import "os"

// Limits of the server.
const (
	MaxConnections = 100
	minPort, maxPort = 1024, 65535
)

var started = false

type (
	// Handler handles.
	Handler func(ctx context.Context, request *Request) error

	ID = string
)

// Server listens on a port and hands every connection to its handler, each in a goroutine of its own, until the
// context that it was started with is cancelled.
type Server struct {
	*Base
	sync.Mutex
	Port    int `json:"port"`
	handler Handler
}

// Store keeps things.
type Store interface {
	io.Closer
	Get(key string) ([]byte, error)
	Put(key string, value []byte) error
}

type Number interface {
	~int | ~float64
}

// New makes a server.
func New(port int, handler Handler) *Server {
	return &Server{Port: port, handler: handler}
}

func (s *Server) String() string { return fmt.Sprintf("server on %d", s.Port) }

// Serve serves until the context is done.
func (s *Server) Serve(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
			s.Lock()
			defer s.Unlock()
			if err := s.handler(ctx, &Request{ID: ToUpper("a")}); err != nil {
				log.Printf("failed: %v", err)
				os.Exit(1)
			}
		}
	}
}

func Map[T, U any](items []T, f func(T) U) []U {
	out := make([]U, 0, len(items))
	for _, item := range items {
		out = append(out, f(item))
	}
	return out
}

func (l *List[T]) Push(value T) { l.items = append(l.items, value) }
