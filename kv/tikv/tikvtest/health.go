// SPDX-License-Identifier: Apache-2.0

package tikvtest

import (
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// pulse answers, for one store, whether it's alive: after a failure the client asks over the network, and the mock has
// none. Its address is the store's.
type pulse struct {
	address string
	server  *grpc.Server
	health  *health.Server
	done    chan struct{}
}

func startPulse() (*pulse, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &pulse{address: listener.Addr().String(), server: grpc.NewServer(), health: health.NewServer(),
		done: make(chan struct{})}
	grpc_health_v1.RegisterHealthServer(p.server, p.health)
	go func() {
		defer close(p.done)
		_ = p.server.Serve(listener) // it ends when it's stopped
	}()
	return p, nil
}

// alive sets the answer.
func (p *pulse) alive(yes bool) {
	if yes {
		p.health.Resume()
	} else {
		p.health.Shutdown()
	}
}

func (p *pulse) stop() {
	p.server.Stop()
	<-p.done
}
