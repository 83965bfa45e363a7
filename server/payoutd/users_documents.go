package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// usersDocuments is `payoutd users documents`.
type usersDocuments struct {
	List   documentsList   `cmd:"" help:"List the documents of a user, without numbers and content."`
	Export documentsExport `cmd:"" help:"Write the documents of a user into a directory, one file each, that only you can read."`
}

// userDocumentJSON is a document of a user, without its number and its content.
type userDocumentJSON struct {
	documentJSON
	MediaType  string `json:"media_type,omitempty"` // as the client declared it
	ExpiryDate string `json:"expiry_date,omitempty"`
	Country    string `json:"country,omitempty"`
	State      string `json:"state,omitempty"`
	Authority  string `json:"id_issuing_authority,omitempty"`
	File       string `json:"file,omitempty"` // of an export
	Bytes      int    `json:"bytes,omitempty"`
}

func newUserDocumentJSON(d payout.Document) userDocumentJSON {
	return userDocumentJSON{
		documentJSON: documentJSON{string(d.ID), d.Kind, d.Type}, MediaType: d.MediaType, ExpiryDate: d.ExpiryDate,
		Country: d.Country, State: d.State, Authority: d.IssuingAuthority,
	}
}

type documentsList struct {
	database
	clientOfID
	listing
	UserID string `arg:"" help:"Id of the user."`
}

// Run lists documents.
func (l documentsList) Run(ctx context.Context, std streams) error {
	if err := checkIDs(named{"<user-id>", &l.UserID}); err != nil {
		return err
	}
	return l.within(ctx, l.database, store.KindUser, l.UserID, func(o operation) error {
		u, err := o.service.User(ctx, o.client, payout.UserID(l.UserID))
		if err != nil {
			return err
		}
		rows := make([]userDocumentJSON, len(u.Documents))
		cells := make([][]string, len(u.Documents))
		for i, d := range u.Documents {
			rows[i] = newUserDocumentJSON(d)
			cells[i] = []string{string(d.ID), string(d.Kind), printable(d.Type), printable(d.MediaType), d.ExpiryDate, d.Country}
		}
		return l.print(std.out, rows, []string{"ID", "KIND", "TYPE", "MEDIA TYPE", "EXPIRES", "COUNTRY"}, cells)
	})
}

type documentsExport struct {
	database
	clientOfID
	listing
	UserID    string `arg:"" help:"Id of the user."`
	Directory string `arg:"" help:"Directory for the files; made, for you alone, if it does not exist. Files are never overwritten."`
}

// Run exports documents: all of them, or none.
func (e documentsExport) Run(ctx context.Context, std streams) error {
	if err := checkIDs(named{"<user-id>", &e.UserID}); err != nil {
		return err
	}
	return e.within(ctx, e.database, store.KindUser, e.UserID, func(o operation) (err error) {
		u, err := o.service.User(ctx, o.client, payout.UserID(e.UserID))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(e.Directory, 0o700); err != nil {
			return err
		}
		var written []string
		defer func() {
			if err == nil {
				return
			}
			for _, name := range written {
				err = errors.Join(err, os.Remove(name))
			}
		}()
		rows := make([]userDocumentJSON, len(u.Documents))
		cells := make([][]string, len(u.Documents))
		for i, d := range u.Documents {
			content := []byte(d.Value)
			if d.Kind == payout.PhysicalDocument {
				var found bool
				if content, found, err = o.db.DocumentContent(ctx, o.client.ID, d.ID); err != nil || !found {
					return errors.Join(err, payout.NotFound("document"))
				}
			}
			// Ids alone make the name, and nothing says what the content is: the client declared its type, and a viewer that
			// goes by an extension may execute it (D-63).
			name := filepath.Join(e.Directory, fmt.Sprintf("%s_%s", u.ID, d.ID))
			if err := create(name, content); err != nil {
				return err
			}
			written = append(written, name)
			rows[i] = newUserDocumentJSON(d)
			rows[i].File, rows[i].Bytes = name, len(content)
			cells[i] = []string{printable(name), string(d.Kind), printable(d.Type), printable(d.MediaType), strconv.Itoa(len(content))}
		}
		return e.print(std.out, rows, []string{"FILE", "KIND", "TYPE", "MEDIA TYPE", "BYTES"}, cells)
	})
}

// create writes a new file that only its owner can read, and leaves none behind if it fails.
func create(name string, content []byte) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // its name is made of ids, and it follows no link
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already, and is not overwritten", printable(name))
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	if _, err := f.Write(content); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
