package watchgate

import "encoding/json"

// JSON decodes an object by encoding/json, for [Reflect] and [NewState]: watchgate.JSON[Pod].
func JSON[T any](change Change) (T, error) {
	var value T
	if change.OmittedBytes > 0 {
		return value, ErrOmitted
	}
	err := json.Unmarshal(change.Object, &value)
	return value, err
}

// Raw keeps the JSON of an object; nil for an object without a body.
func Raw(change Change) (json.RawMessage, error) { return change.Object, nil }
