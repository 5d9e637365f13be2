// SPDX-License-Identifier: Apache-2.0

package definition

import "time"

const (
	recoveryDaysMax = 35
	// recoveryLagMS is how far Amazon's newest restorable moment lies behind the present.
	recoveryLagMS = int64(5 * time.Minute / time.Millisecond)
)

// Recovery asks for point-in-time recovery, or for its end.
type Recovery struct {
	PointInTimeRecoveryEnabled *bool
	RecoveryPeriodInDays       *int64
}

// recovery is that a table is to be restorable to any moment of the past days. It is kept and described: this server restores nothing yet.
type recovery struct {
	SinceMS int64 `json:"sinceMS"` // when it was switched on, in Unix milliseconds
	Days    int64 `json:"days"`
}

// Check judges the request by itself.
func (r *Recovery) Check() error {
	const member = "pointInTimeRecoverySpecification"
	var faults constraints
	switch {
	case r == nil:
		faults.null(member)
	case r.PointInTimeRecoveryEnabled == nil:
		faults.null(member + ".pointInTimeRecoveryEnabled")
	}
	if r != nil && r.RecoveryPeriodInDays != nil {
		faults.Between(true, *r.RecoveryPeriodInDays, member+".recoveryPeriodInDays", 1, recoveryDaysMax)
	}
	return faults.Err()
}

// SetRecovery switches point-in-time recovery on or off, or changes its period.
func (s *Settings) SetRecovery(r *Recovery, nowMS int64) {
	if !*r.PointInTimeRecoveryEnabled {
		s.Recovery = nil
		return
	}
	kept := recovery{nowMS, recoveryDaysMax}
	if s.Recovery != nil {
		kept = *s.Recovery
	}
	replace(&kept.Days, valueOf(r.RecoveryPeriodInDays), r.RecoveryPeriodInDays != nil)
	s.Recovery = &kept
}

// Backups is how a table's continuous backups are described.
type Backups struct {
	ContinuousBackupsStatus        string
	PointInTimeRecoveryDescription recoveryDescription
}

type recoveryDescription struct {
	PointInTimeRecoveryStatus  string
	RecoveryPeriodInDays       int64   `json:",omitempty"`
	EarliestRestorableDateTime seconds `json:",omitempty"`
	LatestRestorableDateTime   seconds `json:",omitempty"`
}

// Backups describes a table's continuous backups, which every table is said to have.
func (s *Settings) Backups(nowMS int64) Backups {
	r := s.Recovery
	if r == nil {
		return Backups{"ENABLED", recoveryDescription{PointInTimeRecoveryStatus: "DISABLED"}}
	}
	return Backups{"ENABLED", recoveryDescription{
		PointInTimeRecoveryStatus: "ENABLED", RecoveryPeriodInDays: r.Days,
		EarliestRestorableDateTime: seconds(max(r.SinceMS, nowMS-r.Days*dayMS)), LatestRestorableDateTime: seconds(max(r.SinceMS, nowMS-recoveryLagMS)),
	}}
}
