// SPDX-License-Identifier: Apache-2.0

package attributejson

// AppendMember begins a member of the object at the end of dst, with a comma where one is due. The name must need no
// escapes.
func AppendMember(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// Members reads an object by its members, those that are null left out: read must read the value of each.
func (r *Reader) Members(read func(name []byte) error) error {
	if err := r.BeginObject(); err != nil {
		return err
	}
	for {
		name, ok, err := r.NextMember()
		if !ok || err != nil {
			return err
		}
		if err := read(name); err != nil {
			return err
		}
	}
}
