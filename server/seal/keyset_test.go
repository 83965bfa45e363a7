package seal_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/crossborder-payouts/payouts/server/seal"
)

func newFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keyset.json")
	if err := seal.Create(file); err != nil {
		t.Fatal(err)
	}
	return file
}

func load(t *testing.T, file string) *seal.Keyset {
	t.Helper()
	k, exposed, err := seal.Load(file)
	if err != nil || exposed {
		t.Fatalf("exposed %t, %v", exposed, err)
	}
	return k
}

func sealed(t *testing.T, k *seal.Keyset) []byte {
	t.Helper()
	text, err := k.Seal([]byte("secret"), []byte("mine"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func opens(t *testing.T, what string, k *seal.Keyset, text []byte) {
	t.Helper()
	if plain, err := k.Open(text, []byte("mine")); err != nil || string(plain) != "secret" {
		t.Errorf("%s: %q, %v", what, plain, err)
	}
}

func TestWhatIsSealedOpensInItsPlaceOnly(t *testing.T) {
	t.Parallel()
	k := load(t, newFile(t))
	text := sealed(t, k)
	opens(t, "as it was sealed", k, text)
	if bytes.Contains(text, []byte("secret")) || bytes.Equal(text, sealed(t, k)) {
		t.Error("the text is readable, or the same each time")
	}
	changed := bytes.Clone(text)
	changed[len(changed)-1] ^= 1
	for what, c := range map[string]struct {
		k       *seal.Keyset
		text    []byte
		context string
	}{
		"in another place":    {k, text, "yours"},
		"changed":             {k, changed, "mine"},
		"cut":                 {k, text[:len(text)-1], "mine"},
		"empty":               {k, nil, "mine"},
		"with another keyset": {load(t, newFile(t)), text, "mine"},
	} {
		if plain, err := c.k.Open(c.text, []byte(c.context)); err == nil {
			t.Errorf("%s it opens: %q", what, plain)
		}
	}
}

// A replica that has the file of before opens what one with the new file seals, and the other way round.
func TestReplicasGetANewKeyOneAfterTheOther(t *testing.T) {
	t.Parallel()
	file := newFile(t)
	before := load(t, file)
	for range 3 {
		if err := seal.Rotate(file); err != nil {
			t.Fatal(err)
		}
		after := load(t, file)
		opens(t, "sealed before", after, sealed(t, before))
		opens(t, "sealed after", before, sealed(t, after))
		if old, now := sealed(t, before), sealed(t, after); bytes.Equal(old[:5], now[:5]) { // tink's version and the number of the key
			t.Error("the new file seals with the old key")
		}
		before = after
	}
}

func TestFilesOfKeysets(t *testing.T) {
	t.Parallel()
	file := newFile(t)
	if err := seal.Create(file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a keyset is overwritten: %v", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, exposed, err := seal.Load(file); err != nil || !exposed {
		t.Errorf("a file that others can read: exposed %t, %v", exposed, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for what, content := range map[string][]byte{"empty": nil, "cut": text[:len(text)/2], "of another kind": []byte(`{"secret":"x"}`)} {
		other := filepath.Join(t.TempDir(), "other.json")
		if err := os.WriteFile(other, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := seal.Load(other); !errors.Is(err, seal.ErrNotKeyset) {
			t.Errorf("a file that is %s: %v", what, err)
		}
		if err := seal.Rotate(other); !errors.Is(err, seal.ErrNotKeyset) {
			t.Errorf("rotate a file that is %s: %v", what, err)
		}
		if kept, err := os.ReadFile(other); err != nil || !bytes.Equal(kept, content) {
			t.Errorf("a file that is %s was changed: %v", what, err)
		}
	}
	for _, err := range []error{seal.Rotate(file + ".gone"), seal.Create(filepath.Join(file, "below a file"))} {
		if err == nil {
			t.Error("a keyset that cannot be read or written is no error")
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("files %q, %v", left, err)
	}
}

func TestTheSandboxHasAKeysetOfItsOwn(t *testing.T) {
	t.Parallel()
	first, err := seal.Sandbox()
	second, again := seal.Sandbox()
	if err != nil || again != nil {
		t.Fatal(err, again)
	}
	opens(t, "another sandbox", second, sealed(t, first))
}
