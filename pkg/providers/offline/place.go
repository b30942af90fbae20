package offline

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // places are found by the zones of the world, on machines without them too
)

// places knows which time zone a person means by a name.
type places struct {
	aliases map[string]string
	filler  *regexp.Regexp
	here    *regexp.Regexp
}

func newPlaces() *places {
	return &places{
		aliases: aliases(),
		here:    regexp.MustCompile(`(?i)^(?:(?:i(?:'m|’m|\s+am|\s+live)|we(?:'re|’re|\s+are|\s+live)|it(?:'s|’s|\s+is))\s+(?:in|from)|in|from|(?:my|our|the|use|use\s+the)?\s*time\s?zone(?:\s+is|:)?|use)\s+(.+)$`),
		filler:  regexp.MustCompile(`(?i)^(?:\s*\b(?:is|it|now|today|currently|the|of|be|and|date|time|day|week|month|year|weekday|exact|exactly|local|please|right|moment|at|we|have|got|do|you|a|current|here|there|s)\b|\s|'|’|,)*$`),
	}
}

// rules understand questions for the time, the date and the weekday.
func (p *places) rules() []rule {
	return []rule{{
		regexp.MustCompile(`(?is)^(?:(?:what|which|tell|show|give|do|how|say|check|get|current|the|local|exact|whats)\b(.*?)\b)??(?:time|date|day|weekday|today|late|now|clock|current_time)\b(.*)$`),
		func(groups []string) []piece { return p.understand(groups[1], groups[2]) },
	}}
}

func (p *places) understand(before, after string) []piece {
	before = strings.NewReplacer(" me", " ", " us", " ", " does", " ", " kind", "\x00").Replace(before)
	name, after := placeIn(after)
	if !p.filler.MatchString(before) || !p.filler.MatchString(after) {
		return nil
	}
	if name == "" {
		return use("current_time", map[string]any{})
	}
	zone := p.zone(name)
	if zone == "" {
		return say(unknownZone(name))
	}
	return use("current_time", map[string]any{"timezone": zone})
}

// where reads the zone from a person's words about their place, or the bare zone: its IANA
// name, or the place if its zone is not known.
func (p *places) where(text string) (zone, place string) {
	text = placeName(strings.TrimSpace(text))
	if g := p.here.FindStringSubmatch(text); g != nil {
		text = placeName(g[1])
		return p.zone(text), text
	}
	return p.zone(text), ""
}

const noZone = "I do not know the time zone of “"

func unknownZone(place string) string {
	return noZone + short(place, 60) + "”. Name one such as Europe/Berlin or Asia/Tokyo, or a large city."
}

// placeIn cuts " in Tokyo" or a lone zone such as " UTC" off the end of a question.
func placeIn(s string) (place, rest string) {
	fields := strings.Fields(s)
	for i, f := range fields {
		switch strings.ToLower(f) {
		case "in", "for", "at":
			name := strings.Join(fields[i+1:], " ")
			switch strings.ToLower(name) {
			case "", "the moment", "here":
				return "", s
			}
			return placeName(name), strings.Join(fields[:i], " ")
		}
	}
	if len(fields) > 0 {
		last := fields[len(fields)-1]
		if isAbbreviation(last) || strings.Contains(last, "/") {
			return last, strings.Join(fields[:len(fields)-1], " ")
		}
	}
	return "", s
}

// placeName is a place without the words and signs that may follow it.
func placeName(s string) string {
	for _, word := range []string{" right now", " now", " today", " currently", " please", " at the moment"} {
		if cut, ok := strings.CutSuffix(strings.ToLower(s), word); ok {
			s = s[:len(cut)]
		}
	}
	return strings.Trim(s, `"'“”?!,.`)
}

func isAbbreviation(s string) bool {
	switch strings.ToUpper(s) {
	case "UTC", "GMT":
		return true
	default:
		return false
	}
}

// zone finds the IANA name of a place: by a list of places without one of their own,
// else by the database's name for the city, region by region.
func (p *places) zone(place string) string {
	key := strings.ToLower(strings.TrimPrefix(strings.ToLower(place), "the "))
	if zone, ok := p.aliases[key]; ok {
		return zone
	}
	if isAbbreviation(place) {
		return strings.ToUpper(place)
	}
	if len(place) > 40 || strings.Contains(place, "..") || strings.EqualFold(place, "local") {
		return ""
	}
	if strings.Contains(place, "/") {
		parts := strings.Split(key, "/")
		for i := range parts {
			parts[i] = strings.ReplaceAll(titleCase(parts[i]), " ", "_")
		}
		for _, name := range []string{place, strings.Join(parts, "/")} {
			if isZone(name) {
				return name
			}
		}
		return ""
	}
	city := titleCase(key)
	// "Springfield, Illinois": the city decides.
	if name, _, found := strings.Cut(city, ","); found {
		city = name
	}
	city = strings.ReplaceAll(city, " ", "_")
	for _, region := range []string{"Europe/", "America/", "Asia/", "Africa/", "Australia/", "Pacific/", "Atlantic/", "Indian/", ""} {
		if isZone(region + city) {
			return region + city
		}
	}
	return ""
}

func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil
}

// titleCase writes a name as the database does: words of places with a capital.
func titleCase(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '_' })
	for i, w := range words {
		switch {
		case w == "of" || w == "es" || w == "au" && i > 0:
		default:
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

// aliases are well-known places in a zone with the name of another city.
func aliases() map[string]string {
	table := map[string]string{
		"Europe/Berlin":       "germany,munich,frankfurt,hamburg,cologne,stuttgart,dresden,leipzig",
		"Europe/London":       "uk,england,britain,great britain,united kingdom,manchester,liverpool,scotland,edinburgh,glasgow,wales",
		"Europe/Paris":        "france,lyon,marseille,nice,toulouse",
		"Europe/Rome":         "italy,milan,naples,florence,venice,turin",
		"Europe/Madrid":       "spain,barcelona,valencia,seville",
		"Europe/Zurich":       "switzerland,geneva,basel,bern",
		"Europe/Amsterdam":    "netherlands,holland,rotterdam,the hague",
		"Europe/Vienna":       "austria,salzburg,graz",
		"Europe/Moscow":       "russia,saint petersburg,st petersburg",
		"Europe/Kyiv":         "ukraine,kiev",
		"Europe/Stockholm":    "sweden,gothenburg",
		"Europe/Warsaw":       "krakow",
		"Europe/Athens":       "greece",
		"America/New_York":    "nyc,new york city,washington,washington dc,boston,miami,atlanta,philadelphia,eastern time,est,edt,usa",
		"America/Chicago":     "houston,dallas,austin,new orleans,texas,central time,cst,cdt",
		"America/Denver":      "salt lake city,colorado,mountain time,mst,mdt",
		"America/Los_Angeles": "la,san francisco,seattle,san diego,las vegas,portland,california,silicon valley,pacific time,pst,pdt",
		"America/Toronto":     "canada,ottawa,quebec",
		"America/Sao_Paulo":   "brazil,rio,rio de janeiro,sao paulo,são paulo,brasilia",
		"America/Mexico_City": "mexico",
		"America/Bogota":      "colombia",
		"Asia/Tokyo":          "japan,osaka,kyoto,jst",
		"Asia/Shanghai":       "china,beijing,shenzhen,guangzhou",
		"Asia/Kolkata":        "india,mumbai,delhi,new delhi,bangalore,bengaluru,chennai,ist",
		"Asia/Seoul":          "korea,south korea,busan",
		"Asia/Dubai":          "uae,abu dhabi",
		"Asia/Ho_Chi_Minh":    "vietnam,hanoi,saigon,ho chi minh city",
		"Asia/Bangkok":        "thailand",
		"Asia/Manila":         "philippines",
		"Asia/Jakarta":        "indonesia",
		"Asia/Jerusalem":      "tel aviv",
		"Australia/Sydney":    "australia,canberra",
		"Africa/Johannesburg": "south africa,cape town",
		"Africa/Cairo":        "egypt",
		"Africa/Lagos":        "nigeria",
		"Africa/Nairobi":      "kenya",
		"Pacific/Auckland":    "new zealand,wellington",
		"Pacific/Honolulu":    "hawaii",
	}
	out := map[string]string{}
	for zone, names := range table {
		for name := range strings.SplitSeq(names, ",") {
			out[name] = zone
		}
	}
	return out
}
