package seal

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// Keyset seals with its primary key and opens with any of its keys. It is safe for concurrent use.
type Keyset struct{ aead tink.AEAD }

// ErrNotKeyset is returned for a file that is not a keyset.
var ErrNotKeyset = errors.New("is not a keyset; payoutd secrets-key create makes one")

// Load reads a keyset from a file. exposed reports whether other users of the machine can read it too. It returns ErrNotKeyset
// for any other content, and never quotes it.
func Load(file string) (k *Keyset, exposed bool, err error) {
	handle, err := read(file)
	if err != nil {
		return nil, false, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, false, err
	}
	k, err = of(handle)
	return k, info.Mode().Perm()&0o077 != 0, err
}

//go:embed sandbox.json
var sandbox []byte

// Sandbox returns a keyset that everybody knows, as everybody knows the secrets of the clients of a sandbox.
func Sandbox() (*Keyset, error) {
	handle, err := parse(sandbox)
	if err != nil {
		return nil, err
	}
	return of(handle)
}

func of(handle *keyset.Handle) (*Keyset, error) {
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, ErrNotKeyset
	}
	return &Keyset{primitive}, nil
}

// Seal encrypts a text. It opens with the same context only.
func (k *Keyset) Seal(plain, context []byte) ([]byte, error) { return k.aead.Encrypt(plain, context) }

// Open decrypts what Seal returned. It fails if the keyset does not have the key, if a byte was changed, and with another
// context.
func (k *Keyset) Open(sealed, context []byte) ([]byte, error) { return k.aead.Decrypt(sealed, context) }

// Create writes a file with a new keyset: one key that seals, and the next one. It returns an error of fs.ErrExist if there is
// such a file.
func Create(file string) error {
	keys := keyset.NewManager()
	first, err := keys.Add(aead.AES256GCMKeyTemplate())
	if err == nil {
		err = keys.SetPrimary(first)
	}
	if err == nil {
		_, err = keys.Add(aead.AES256GCMKeyTemplate())
	}
	if err != nil {
		return err
	}
	return write(file, keys, os.Link) // which replaces no file
}

// Rotate replaces the file by one whose next key seals from now on, and which has a further next key. Replicas that have the
// file of before can open what is sealed with it, and keys that do not seal any more still open.
func Rotate(file string) error {
	handle, err := read(file)
	if err != nil {
		return err
	}
	newest, err := handle.Entry(handle.Len() - 1)
	if err != nil || newest.IsPrimary() {
		return ErrNotKeyset
	}
	keys := keyset.NewManagerFromHandle(handle)
	if err := keys.SetPrimary(newest.KeyID()); err != nil {
		return err
	}
	if _, err := keys.Add(aead.AES256GCMKeyTemplate()); err != nil {
		return err
	}
	return write(file, keys, os.Rename)
}

func read(file string) (*keyset.Handle, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the operator names it
	if err != nil {
		return nil, err
	}
	return parse(text)
}

func parse(text []byte) (*keyset.Handle, error) {
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(text)))
	if err != nil {
		return nil, ErrNotKeyset // the cause may quote the file
	}
	return handle, nil
}

// write writes a file beside and puts it into its place at once, so that neither a crash nor a reader meets half of it.
func write(file string, keys *keyset.Manager, place func(from, to string) error) error {
	handle, err := keys.Handle()
	if err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(file), ".keyset-*") // which only its owner can read
	if err != nil {
		return err
	}
	defer os.Remove(part.Name()) //nolint:errcheck // it has been moved, or is one of an error that is returned
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(part)); err != nil {
		return errors.Join(fmt.Errorf("write keyset: %w", err), part.Close())
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return err
	}
	return place(part.Name(), file)
}
