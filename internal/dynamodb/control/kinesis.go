// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"regexp"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// kinesisARN is the form of a stream's ARN. // immutable
var kinesisARN = regexp.MustCompile(`^arn:aws[a-z-]*:kinesis:[a-z0-9-]+:\d{12}:stream/[a-zA-Z0-9_.-]{1,128}$`)

// precisions are the units that the times of changes can have. // immutable
var precisions = []string{"MILLISECOND", "MICROSECOND"}

type precision struct {
	ApproximateCreationDateTimePrecision *string `json:",omitempty"`
}

// micro reports whether times are in microseconds; given is false if nothing is said.
func (p *precision) micro() (micro, given bool) {
	if p == nil || p.ApproximateCreationDateTimePrecision == nil {
		return false, false
	}
	return *p.ApproximateCreationDateTimePrecision == precisions[1], true
}

// kinesisRequest is the body of EnableKinesisStreamingDestination and DisableKinesisStreamingDestination.
type kinesisRequest struct {
	tableRequest
	StreamArn                           *string
	EnableKinesisStreamingConfiguration *precision
}

type kinesisUpdateRequest struct {
	tableRequest
	StreamArn                           *string
	UpdateKinesisStreamingConfiguration *precision
}

type kinesisAnswer struct {
	TableName                           string
	StreamArn                           string
	DestinationStatus                   string
	EnableKinesisStreamingConfiguration *precision `json:",omitempty"`
	UpdateKinesisStreamingConfiguration *precision `json:",omitempty"`
}

func checkKinesis(arn *string, member string, p *precision) error {
	var faults exception.Constraints
	if arn == nil {
		faults.Null("streamArn")
	}
	faults.Within(arn, "streamArn", exception.ArnMin, exception.ArnMax)
	if _, given := p.micro(); given {
		faults.OneOf(true, *p.ApproximateCreationDateTimePrecision, member+".approximateCreationDateTimePrecision",
			precisions)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	if !kinesisARN.MatchString(*arn) {
		return exception.Validation("Invalid StreamArn: " + *arn + " is not the ARN of a stream of Kinesis")
	}
	return nil
}

// editDestinations changes the destinations of a table.
func (a *API) editDestinations(ctx context.Context, name string, edit func(table *schema.Table) error) error {
	table, err := a.Open(name)
	if err == nil {
		err = table.Edit(ctx, edit)
	}
	return tableError(name, err)
}

// enableKinesisStreamingDestination lets the changes of a table go to a stream of Kinesis. Whether it is there is found
// out in the background. The text about another destination is from memory.
func (a *API) enableKinesisStreamingDestination(ctx context.Context, in *kinesisRequest) (any, error) {
	if err := checkKinesis(in.StreamArn, "enableKinesisStreamingConfiguration",
		in.EnableKinesisStreamingConfiguration); err != nil {
		return nil, err
	}
	if !a.Kinesis {
		return nil, exception.Validation(
			"This server sends changes nowhere: start it with --kinesis-endpoint and the URL of a service that speaks Kinesis")
	}
	name := *in.TableName
	err := a.editDestinations(ctx, name, func(table *schema.Table) error {
		if d, on := table.Destination(); on {
			return exception.Validation("Table is already in state " + statusOf(d) +
				" for Kinesis streaming destination: " + d.ARN)
		}
		micro, _ := in.EnableKinesisStreamingConfiguration.micro()
		return a.DB.Changes().DestinationOn(table, *in.StreamArn, micro)
	})
	if err != nil {
		return nil, err
	}
	return kinesisAnswer{name, *in.StreamArn, "ENABLING", in.EnableKinesisStreamingConfiguration, nil}, nil
}

// disableKinesisStreamingDestination ends it. What was committed before goes there still.
func (a *API) disableKinesisStreamingDestination(ctx context.Context, in *kinesisRequest) (any, error) {
	if err := checkKinesis(in.StreamArn, "enableKinesisStreamingConfiguration",
		in.EnableKinesisStreamingConfiguration); err != nil {
		return nil, err
	}
	name := *in.TableName
	err := a.editDestinations(ctx, name, func(table *schema.Table) error {
		if err := isDestination(table, *in.StreamArn); err != nil {
			return err
		}
		return a.DB.Changes().DestinationOff(table, *in.StreamArn)
	})
	if err != nil {
		return nil, err
	}
	return kinesisAnswer{name, *in.StreamArn, "DISABLING", in.EnableKinesisStreamingConfiguration, nil}, nil
}

// isDestination wants the changes of a table to go to a stream. The text is from memory.
func isDestination(table *schema.Table, arn string) error {
	if d, on := table.Destination(); !on || d.ARN != arn {
		return exception.Validation("Table is not in a valid state to be changed for Kinesis streaming destination: " +
			arn + ": it is not enabled")
	}
	return nil
}

// updateKinesisStreamingDestination changes the unit of times.
func (a *API) updateKinesisStreamingDestination(ctx context.Context, in *kinesisUpdateRequest) (any, error) {
	if err := checkKinesis(in.StreamArn, "updateKinesisStreamingConfiguration",
		in.UpdateKinesisStreamingConfiguration); err != nil {
		return nil, err
	}
	micro, given := in.UpdateKinesisStreamingConfiguration.micro()
	if !given {
		return nil, exception.Validation(
			"UpdateKinesisStreamingConfiguration needs ApproximateCreationDateTimePrecision")
	}
	name := *in.TableName
	err := a.editDestinations(ctx, name, func(table *schema.Table) error {
		if err := isDestination(table, *in.StreamArn); err != nil {
			return err
		}
		return a.DB.Changes().EditDestination(table, *in.StreamArn, func(d *schema.Destination) { d.Micro = micro })
	})
	if err != nil {
		return nil, err
	}
	return kinesisAnswer{name, *in.StreamArn, "UPDATING", nil, in.UpdateKinesisStreamingConfiguration}, nil
}

type describedDestination struct {
	StreamArn                            string
	DestinationStatus                    string
	DestinationStatusDescription         string `json:",omitempty"`
	ApproximateCreationDateTimePrecision string
}

// describeKinesisStreamingDestination shows the streams of Kinesis that a table's changes go to, and those that they
// lately did.
func (a *API) describeKinesisStreamingDestination(_ context.Context, in *tableRequest) (any, error) {
	pin, err := a.Pin(*in.TableName)
	if err != nil {
		return nil, tableError(*in.TableName, err)
	}
	defer pin.Release()
	list := []describedDestination{}
	all := pin.Changes().Destinations()
	for i, d := range all {
		if slices.ContainsFunc(all[i+1:], func(later schema.Destination) bool { return later.ARN == d.ARN }) {
			continue
		}
		one := describedDestination{d.ARN, statusOf(&d), d.Fault, precisions[0]}
		if d.Micro {
			one.ApproximateCreationDateTimePrecision = precisions[1]
		}
		list = append(list, one)
	}
	return struct {
		TableName                     string
		KinesisDataStreamDestinations []describedDestination
	}{*in.TableName, list}, nil
}

func statusOf(d *schema.Destination) string {
	switch {
	case d.Fault != "":
		return "ENABLE_FAILED"
	case d.ClosedAtMS != 0:
		return "DISABLED"
	case d.EndedAtMS != 0:
		return "DISABLING"
	case d.Reached:
		return "ACTIVE"
	}
	return "ENABLING"
}
