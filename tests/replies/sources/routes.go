package routes

import (
	"encoding/json"
	"log"
	"net/http"
	"strconv"
)

type store interface {
	Load(id int) (string, error)
	Save(id int, name string) error
}

type handler struct {
	store store
	limit int
}

func (h *handler) read(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		http.Error(w, "bad id", http.StatusBadRequest)
		return
	}
	name, err := h.store.Load(id)
	if err != nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	log.Printf("read %d → %s", id, name)
	reply(w, map[string]string{"name": name})
}

func (h *handler) write(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		http.Error(w, "bad id", http.StatusBadRequest)
		return
	}
	name := r.FormValue("name")
	if len(name) > h.limit {
		http.Error(w, "too long", http.StatusBadRequest)
		return
	}
	if err := h.store.Save(id, name); err != nil {
		http.Error(w, "cannot save", http.StatusInternalServerError)
		return
	}
	log.Printf("write %d → %s", id, name)
	reply(w, map[string]string{"name": name})
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(body); err != nil {
		log.Printf("reply: %v", err)
	}
}
