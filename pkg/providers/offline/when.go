package offline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The words of times, without groups.
const (
	// A count, with the separator before its unit.
	countWord = `(?:\d{1,5}\s*|(?:an?|half\s+an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety)\s+)`
	unitWord  = `(?:seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)`
	spanWord  = countWord + unitWord
	hourWord  = `(?:noon|midday|midnight|(?:[01]?\d|2[0-3])(?:[:.][0-5]\d)?(?:\s*[ap]\.?m\b\.?)?|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:\s*[ap]\.?m\b\.?)?)(?:\s*o['’]?\s?clock)?`
	weekday   = `(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?`
	dayWord   = `(?:today|tomorrow|(?:(?:on|next|this)\s+)*` + weekday + `|(?:on\s+)?\d{4}-\d{2}-\d{2})`
	atWord    = `(?:at|@|by)\s*`
	onceWord  = `(?:in\s+` + spanWord + `(?:(?:\s*,\s*|\s+and\s+|\s+)` + spanWord + `)?` +
		`|` + dayWord + `(?:\s*,?\s+(?:` + atWord + `)?` + hourWord + `)?` +
		`|` + atWord + hourWord + `(?:\s+` + dayWord + `)?)`
	rhythm = `(?:hourly|daily|weekly|monthly|(?:every|each)\s+(?:` + countWord + unitWord + `|minute|hour|day|week|month(?:\s+on\s+the\s+[0-3]?\d(?:st|nd|rd|th)?)?|weekday|weekend` +
		`|` + weekday + `s?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)` + weekday + `s?)*))`
	everyWord = `(?:` + rhythm + `(?:\s*,?\s+` + atWord + hourWord + `)?|` + atWord + hourWord + `\s+` + rhythm + `)`
)

// usualHour is the hour of a day of which no hour was named.
const usualHour = "09:00"

// times reads the times that people name, as the tool schedule takes them.
type times struct{ span, once, every, hour, numbers, names *regexp.Regexp }

func newTimes() *times {
	return &times{
		span:    regexp.MustCompile(`\b(` + countWord + `)(` + unitWord + `)\b`),
		once:    regexp.MustCompile(`(?i)^(?:(` + dayWord + `)(?:\s*,?\s+(?:` + atWord + `)?(` + hourWord + `))?|` + atWord + `(` + hourWord + `)(?:\s+(` + dayWord + `))?)$`),
		every:   regexp.MustCompile(`(?i)^(?:` + atWord + `(` + hourWord + `)\s+)?(` + rhythm + `)(?:\s*,?\s+` + atWord + `(` + hourWord + `))?$`),
		hour:    regexp.MustCompile(`(?i)^([a-z]+|\d+)(?:[:.](\d\d))?\s*([ap])?`),
		numbers: regexp.MustCompile(`\d+`),
		names:   regexp.MustCompile(`(?i)\b` + weekday + `s?\b`),
	}
}

// read gives the arguments of the tool that say when; nil where it is no time.
func (t *times) read(text string) map[string]any {
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "in "); ok {
		if d := t.length(rest); d > 0 {
			return map[string]any{"in": spell(d)}
		}
		return nil
	}
	if g := t.once.FindStringSubmatch(text); g != nil {
		return t.moment(strings.ToLower(g[1]+g[4]), g[2]+g[3])
	}
	if g := t.every.FindStringSubmatch(text); g != nil {
		return t.repeated(strings.ToLower(g[2]), g[1]+g[3])
	}
	return nil
}

// moment is a day, an hour or both: which date that is depends on where the
// person is, which the tool knows.
func (t *times) moment(day, hour string) map[string]any {
	h := usualHour
	if hour != "" {
		if h = t.clock(hour); h == "" {
			return nil
		}
	}
	day = strings.TrimSpace(strings.NewReplacer("on ", "", "next ", "", "this ", "").Replace(day))
	if n := weekdayOf(day); n >= 0 {
		day = strings.ToLower(time.Weekday(n).String())
	}
	return map[string]any{"at": strings.TrimSpace(day + " " + h)}
}

// repeated is a rhythm, with the hour of the day where it has one.
func (t *times) repeated(rhythm, hour string) map[string]any {
	clock := usualHour
	if hour != "" {
		if clock = t.clock(hour); clock == "" {
			return nil
		}
	}
	words := strings.Fields(
		strings.NewReplacer("hourly", "every hour", "daily", "every day", "weekly", "every week", "monthly", "every month").Replace(rhythm),
	)
	if days := t.days(words[1:]); days != "" {
		h, m, _ := strings.Cut(clock, ":")
		return map[string]any{"cron": plainNumber(m) + " " + plainNumber(h) + " " + days}
	}
	if d := t.length(strings.Join(words[1:], " ")); d > 0 && hour == "" {
		return map[string]any{"every": spell(d)}
	}
	return nil // every other day at nine is no rhythm that the tool has
}

// days are the last three fields of a cron expression, "" where the words name no days.
func (t *times) days(words []string) string {
	n := len(words)
	if n == 4 && words[0] == "month" { // on the 3rd
		return t.numbers.FindString(words[3]) + " * *"
	}
	if n == 1 {
		fixed := map[string]string{"day": "* * *", "weekday": "* * 1-5", "weekend": "* * 0,6", "week": "* * 1", "month": "1 * *"}
		if days := fixed[words[0]]; days != "" {
			return days
		}
	}
	var days []string
	for _, name := range t.names.FindAllString(strings.Join(words, " "), -1) {
		days = append(days, strconv.Itoa(weekdayOf(name)))
	}
	if days == nil {
		return ""
	}
	return "* * " + strings.Join(days, ",")
}

func plainNumber(digits string) string { return strconv.Itoa(number(digits)) }

// length adds up spans such as "1 hour and 30 minutes".
func (t *times) length(text string) time.Duration {
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	var sum time.Duration
	switch text {
	case "minute":
		return time.Minute
	case "hour":
		return time.Hour
	}
	for _, g := range t.span.FindAllStringSubmatch(strings.ToLower(text), -1) {
		unit := units[g[2][0]]
		if strings.HasPrefix(g[1], "half") {
			sum += unit / 2
			continue
		}
		sum += time.Duration(number(strings.TrimSpace(g[1]))) * unit
	}
	return sum
}

// spell writes a length without the parts that are zero: 2h, 90m, 45s.
func spell(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	default:
		return fmt.Sprintf("%ds", d/time.Second)
	}
}

// clock gives an hour of the day as 15:04, or "" for an invalid one.
func (t *times) clock(text string) string {
	switch text = strings.ToLower(text); {
	case strings.HasPrefix(text, "noon"), strings.HasPrefix(text, "midday"):
		return "12:00"
	case strings.HasPrefix(text, "midnight"):
		return "00:00"
	}
	g := t.hour.FindStringSubmatch(text)
	if g == nil {
		return ""
	}
	h, m := number(g[1]), number(g[2])
	if g[3] != "" {
		if h < 1 || h > 12 {
			return ""
		}
		h %= 12
		if g[3] == "p" {
			h += 12
		}
	}
	return fmt.Sprintf("%02d:%02d", h, m)
}

// number reads digits or a word; any other text counts as zero.
func number(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	for i, word := range strings.Fields("one two three four five six seven eight nine ten eleven twelve") {
		if text == word {
			return i + 1
		}
	}
	return map[string]int{
		"a": 1, "an": 1, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
	}[text]
}

// weekdayOf is the number of a weekday, Sunday being 0, or -1.
func weekdayOf(name string) int {
	for i, three := range strings.Fields("sun mon tue wed thu fri sat") {
		if strings.HasPrefix(strings.ToLower(name), three) {
			return i
		}
	}
	return -1
}
