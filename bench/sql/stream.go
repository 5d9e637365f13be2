// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
)

// streamed loads a table into Weft and reads it with one SELECT, to measure the memory.
func streamed(ctx context.Context, c *config, peers []*peer) (notes []string, err error) {
	if c.StreamRows == 0 || len(peers) == 0 || peers[0].name != peerWeft || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	connection, err := peers[0].Dial(database)
	if err != nil {
		return nil, err
	}
	if _, err := connection.Query("CREATE TABLE long_table (id BIGINT NOT NULL, v VARCHAR(100), n INT, PRIMARY KEY (id))"); err != nil {
		return nil, errors.Join(err, connection.Close())
	}
	begun := time.Now()
	err = errors.Join(fill(connection, "long_table", c.StreamRows), connection.Close())
	if err != nil {
		return nil, err
	}
	loaded := time.Since(begun)
	// What is measured is a server with its defaults, which has done nothing else.
	if err := peers[0].Close(); err != nil {
		return nil, err
	}
	p, err := startWeft(ctx, c, peerWeft, "64MiB")
	if err != nil {
		return nil, err
	}
	peers[0] = p
	if connection, err = p.Dial(database); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, connection.Close()) }()
	fmt.Fprintf(c.Log, "%d rows loaded in %.0f s\n", c.StreamRows, loaded.Seconds())
	pid := p.PID()
	loadgen.Settle(pid)
	settles := min(memorySettles, time.Duration(c.StreamRows)*5*time.Microsecond)
	time.Sleep(settles)
	notes = append(notes, fmt.Sprintf("%d rows were loaded in %.1f s by one client, %d rows an INSERT.",
		c.StreamRows, loaded.Seconds(), batchRows))
	for _, state := range []string{"just started", "whose cache is full"} { // by the SELECT before
		idle := loadgen.Memory(pid, "VmRSS")
		loadgen.ForgetPeak(pid)
		begun, cpu := time.Now(), loadgen.CPU(pid)
		rows, err := connection.Query("SELECT * FROM long_table")
		if err != nil {
			return nil, err
		}
		took := time.Since(begun)
		if int64(rows) != c.StreamRows {
			return nil, fmt.Errorf("%d rows were streamed, want %d", rows, c.StreamRows)
		}
		const mebi = 1 << 20
		notes = append(notes,
			fmt.Sprintf("One SELECT streamed them from a server %s in %.1f s (%s rows/s, server CPU %.2f µs a row): peak memory %.0f MiB above its %.0f MiB while idle.",
				state, took.Seconds(), loadgen.Figure(float64(rows)/took.Seconds()),
				(loadgen.CPU(pid)-cpu)*1e6/float64(rows), float64(loadgen.Memory(pid, "VmHWM")-idle)/mebi,
				float64(idle)/mebi))
		time.Sleep(settles)
	}
	return notes, nil
}

// memorySettles is the time a server that has nothing to do may keep memory that it no longer needs.
const memorySettles = 10 * time.Second
