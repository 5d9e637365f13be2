// SPDX-License-Identifier: Apache-2.0

package tablemodel

const recoveryDaysMax = 35

// Recovery asks for point-in-time recovery, or for its end.
type Recovery struct {
	PointInTimeRecoveryEnabled *bool
	RecoveryPeriodInDays       *int64
}

// Check judges the request by itself. Nothing here can be restored, so only a request for no recovery passes.
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
	if err := faults.Err(); err != nil {
		return err
	}
	if *r.PointInTimeRecoveryEnabled {
		return missing("PointInTimeRecoverySpecification", "point-in-time recovery", "set PointInTimeRecoveryEnabled to false")
	}
	return nil
}

// Backups is how a table's continuous backups are described.
type Backups struct {
	ContinuousBackupsStatus        string
	PointInTimeRecoveryDescription struct{ PointInTimeRecoveryStatus string }
}

// NoBackups describes the continuous backups of every table. Amazon says ENABLED of the former state at all times, for it makes backups at all
// times; here there are none.
func NoBackups() (b Backups) {
	b.ContinuousBackupsStatus, b.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus = "DISABLED", "DISABLED"
	return b
}
