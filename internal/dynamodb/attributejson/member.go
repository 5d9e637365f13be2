// SPDX-License-Identifier: Apache-2.0

package attributejson

// AppendMember begins a member of the object at the end of dst, with a comma where one is due. The name must need no escapes.
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

// Elements splits an array into the texts of its elements, which alias raw.
func Elements(raw []byte) (elements [][]byte, err error) {
	r := NewReader(raw)
	if err := r.BeginArray(); err != nil {
		return nil, err
	}
	for {
		ok, err := r.NextElement()
		if err != nil || !ok {
			return elements, err
		}
		element, err := r.Raw()
		if err != nil {
			return nil, err
		}
		elements = append(elements, element)
	}
}
