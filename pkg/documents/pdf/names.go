package pdf

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// glyphList has the characters of names that follow no rule: a name and its characters, in turn.
const glyphList = `exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright )
asterisk * plus + comma , hyphen - period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9
colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \ bracketright ] asciicircum ^ underscore _
grave ` + "`" + ` braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ fraction ⁄ yen ¥ florin ƒ section §
currency ¤ quotedblleft “ guillemotleft « guilsinglleft ‹ guilsinglright › fi ﬁ fl ﬂ ff ﬀ ffi ﬃ ffl ﬄ endash – dagger †
daggerdbl ‡ periodcentered · paragraph ¶ bullet • quotesinglbase ‚ quotedblbase „ quotedblright ” guillemotright » ellipsis …
perthousand ‰ questiondown ¿ acute ´ circumflex ˆ tilde ˜ macron ¯ breve ˘ dotaccent ˙ dieresis ¨ ring ˚ cedilla ¸
hungarumlaut ˝ ogonek ˛ caron ˇ emdash — AE Æ ordfeminine ª Lslash Ł Oslash Ø OE Œ ordmasculine º ae æ dotlessi ı lslash ł
oslash ø oe œ germandbls ß quoteleft ‘ quoteright ’ onesuperior ¹ logicalnot ¬ mu µ trademark ™ Eth Ð onehalf ½ plusminus ±
Thorn Þ onequarter ¼ divide ÷ brokenbar ¦ degree ° thorn þ threequarters ¾ twosuperior ² registered ® minus − eth ð multiply ×
threesuperior ³ copyright © Euro € Dcroat Đ dcroat đ Hbar Ħ hbar ħ Tbar Ŧ tbar ŧ kgreenlandic ĸ Eng Ŋ eng ŋ longs ſ
dotlessj ȷ IJ Ĳ ij ĳ Ldot Ŀ ldot ŀ napostrophe ŉ Scommaaccent Ș scommaaccent ș Tcommaaccent Ţ tcommaaccent ţ SS SS
germanDbls ẞ Germandbls SS perthousandzero 0 asteriskmath ∗ 
Alpha Α Beta Β Gamma Γ Delta ∆ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ
Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι
kappa κ lambda λ nu ν xi ξ omicron ο pi π rho ρ sigma σ sigma1 ς tau τ upsilon υ phi φ chi χ psi ψ omega ω theta1 ϑ phi1 ϕ
omega1 ϖ Upsilon1 ϒ rho1 ϱ epsilon1 ϵ kappa1 ϰ Alphatonos Ά Epsilontonos Έ Etatonos Ή Iotatonos Ί Omicrontonos Ό
Upsilontonos Ύ Omegatonos Ώ alphatonos ά epsilontonos έ etatonos ή iotatonos ί omicrontonos ό upsilontonos ύ omegatonos ώ
partialdiff ∂ summation ∑ product ∏ coproduct ∐ radical √ infinity ∞ integral ∫ approxequal ≈ notequal ≠ lessequal ≤
greaterequal ≥ lozenge ◊ element ∈ notelement ∉ owner ∋ suchthat ∋ universal ∀ existential ∃ emptyset ∅ gradient ∇ nabla ∇
proportional ∝ angle ∠ logicaland ∧ logicalor ∨ intersection ∩ union ∪ therefore ∴ similar ∼ similarequal ≃ congruent ≅
equivalence ≡ lessmuch ≪ greatermuch ≫ propersubset ⊂ propersuperset ⊃ notsubset ⊄ reflexsubset ⊆ reflexsuperset ⊇
circleplus ⊕ circleminus ⊖ circlemultiply ⊗ circledivide ⊘ circledot ⊙ perpendicular ⊥ dotmath ⋅ minusplus ∓ diamondmath ⋄
openbullet ◦ circlecopyrt ○ equivasymptotic ≍ precedesequal ⪯ followsequal ⪰ precedes ≺ follows ≻ arrowleft ← arrowright →
arrowup ↑ arrowdown ↓ arrowboth ↔ arrowupdn ↕ arrowboth ↔ arrowbothv ↕ arrownortheast ↗ arrowsoutheast ↘ arrowsouthwest ↙
arrownorthwest ↖ arrowdblleft ⇐ arrowdblright ⇒ arrowdblup ⇑ arrowdbldown ⇓ arrowdblboth ⇔ arrowdblbothv ⇕ mapsto ↦
arrowhookleft ↪ arrowhookright ↩ arrowlefttophalf ↼ arrowleftbothalf ↽ arrowrighttophalf ⇀ arrowrightbothalf ⇁ harpoonleft ↼
prime ′ minute ′ second ″ triangle △ triangleinv ▽ triangleright ▷ triangleleft ◁ negationslash ̸ Rfractur ℜ Ifractur ℑ aleph ℵ
weierstrass ℘ latticetop ⊤ turnstileleft ⊢ turnstileright ⊣ floorleft ⌊ floorright ⌋ ceilingleft ⌈ ceilingright ⌉
angbracketleft 〈 angbracketright 〉 angleleft 〈 angleright 〉 bardbl ‖ wreathproduct ≀ unionmulti ⊎ unionsq ⊔ intersectionsq ⊓
subsetsqequal ⊑ supersetsqequal ⊒ square □ club ♣ diamond ♦ heart ♥ spade ♠ star ⋆ asterism ⁂ flat ♭ natural ♮ sharp ♯ musicalnote ♪
lscript ℓ vector ⃗ tie ⁀ slurabove ⌒ slurbelow ⌣ periodmath . commamath , H22073 □ H18533 ■ H18543 ▪ H18551 ▫ filledbox ■
filledrect ▬ blackcircle ● blackdiamond ◆ circle ○ carriagereturn ↵ estimated ℮ numero № afii61352 № afii61289 ℓ servicemark ℠
onethird ⅓ twothirds ⅔ oneeighth ⅛ threeeighths ⅜ fiveeighths ⅝ seveneighths ⅞ zerosuperior ⁰ foursuperior ⁴ fivesuperior ⁵
sixsuperior ⁶ sevensuperior ⁷ eightsuperior ⁸ ninesuperior ⁹ nsuperior ⁿ colonmonetary ₡ lira ₤ peseta ₧ dong ₫ franc ₣ won ₩
baht ฿ naira ₦ peso ₱ guarani ₲ bigcircle ◯ ohm Ω permyriad ‱ pertenthousand ‱ referencemark ※ interrobang ‽ published ℗
checkmark ✓ maltesecross ✠ yenmath ¥ hyphenchar - hyphentwo ‐
figuredash ‒ horizontalbar ― quotereversed ‛ underscoredbl ‗ exclamdbl ‼ onedotenleader ․ twodotenleader ‥ approaches ≐
Delta1 Δ increment ∆ Ohm Ω epsilon2 ε zerooldstyle 0 oneoldstyle 1 twooldstyle 2 threeoldstyle 3 fouroldstyle 4 fiveoldstyle 5
sixoldstyle 6 sevenoldstyle 7 eightoldstyle 8 nineoldstyle 9 summationtext ∑ summationdisplay ∑ producttext ∏ productdisplay ∏
integraltext ∫ integraldisplay ∫ afii10023 Ё afii10071 ё afii00208 ― quotedblbase „ Ng Ŋ ng ŋ Racute Ŕ apostrophemod ʼ`

// glyphNames gives the characters of glyphs by their names.
type glyphNames map[string]string

func newGlyphNames() glyphNames {
	fields := strings.FieldsFunc(glyphList, func(r rune) bool { return r == ' ' || r == '\n' })
	out := make(glyphNames, len(fields)/2)
	for i := 0; i+1 < len(fields); i += 2 {
		out[fields[i]] = fields[i+1]
	}
	out["space"], out["nbspace"], out["nonbreakingspace"] = " ", "\u00a0", "\u00a0"
	out["sfthyphen"], out["softhyphen"], out["compwordmark"], out["cwm"] = "\u00ad", "\u00ad", "\u200c", "\u200c"
	out["visiblespace"] = " " // a mark in programs, for a space
	return out
}

// accents are the marks that a name may have behind its letter.
const accents = "grave ̀ acute ́ circumflex ̂ tilde ̃ macron ̄ breve ̆ dotaccent ̇ dieresis ̈ hookabove ̉ ring ̊ hungarumlaut ̋ " +
	"caron ̌ dotbelow ̣ cedilla ̧ commaaccent ̧ ogonek ̨ umlaut ̈ dot ̇ overdot ̇"

// text gives the characters of a glyph.
func (g glyphNames) text(s string) string {
	if s == "" || s == ".notdef" {
		return ""
	}
	if t, ok := g.known(s); ok {
		return t
	}
	if base, _, ok := strings.Cut(s, "."); ok && base != "" {
		return g.text(base)
	}
	if strings.Contains(s, "_") {
		var b strings.Builder
		for part := range strings.SplitSeq(s, "_") {
			t, ok := g.known(part)
			if !ok {
				return ""
			}
			b.WriteString(t)
		}
		return b.String()
	}
	return numbered(s)
}

func (g glyphNames) known(s string) (string, bool) {
	if t, ok := g[s]; ok {
		return t, true
	}
	if len(s) == 1 && s[0] > ' ' && s[0] < 0x7f {
		return s, true
	}
	if t, ok := byNumber(s); ok {
		return t, true
	}
	marks := strings.Fields(accents)
	for i := 0; i+1 < len(marks); i += 2 {
		letter, ok := strings.CutSuffix(s, marks[i])
		if !ok || letter == "" {
			continue
		}
		base := letter
		if len(letter) > 1 {
			if base, ok = g[letter]; !ok {
				continue
			}
		}
		return norm.NFC.String(base + marks[i+1]), true
	}
	return "", false
}

// byNumber reads names that are the numbers of characters: uni0041, u1D400, afii10017.
func byNumber(s string) (string, bool) {
	const least, most = 4, 6
	if hex, ok := strings.CutPrefix(s, "uni"); ok && len(hex) >= least && len(hex)%least == 0 {
		var b strings.Builder
		for ; hex != ""; hex = hex[least:] {
			v, err := strconv.ParseUint(hex[:least], 16, 16)
			if err != nil {
				return "", false
			}
			b.WriteRune(rune(v))
		}
		return b.String(), true
	}
	if hex, ok := strings.CutPrefix(s, "u"); ok && len(hex) >= least && len(hex) <= most {
		if v, err := strconv.ParseInt(hex, 16, 32); err == nil && v >= 0 && v <= utf8.MaxRune {
			return string(rune(v)), true
		}
	}
	return cyrillic(s)
}

// cyrillic reads the names of Cyrillic letters, which are numbers in an order of their own.
func cyrillic(s string) (string, bool) {
	digits, ok := strings.CutPrefix(s, "afii")
	n, err := strconv.ParseInt(digits, 10, 32)
	if !ok || err != nil {
		return "", false
	}
	for _, part := range []struct{ first, last, to rune }{
		{10017, 10022, 'А'}, {10024, 10049, 'Ж'}, {10065, 10070, 'а'}, {10072, 10097, 'ж'},
	} {
		if r := rune(n); r >= part.first && r <= part.last {
			return string(part.to + r - part.first), true
		}
	}
	return "", false
}

// numbered reads names of at most two letters and a number, which stands for the character of that code, as
// fonts of drawings have them: a65, C33. Codes below the space are those of TeX.
func numbered(s string) string {
	digits := strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	const longest = 2
	if len(s)-len(digits) > longest || digits == "" {
		return ""
	}
	v, err := strconv.Atoi(digits)
	const most = 255
	switch {
	case err != nil || v > most:
		return ""
	case v >= ' ':
		return string(rune(v))
	}
	return [' ']string{
		0x0b: "ff", 0x0c: "fi", 0x0d: "fl", 0x0e: "ffi", 0x0f: "ffl", // the first encoding of TeX
		0x15: "–", 0x16: "—", 0x1b: "ff", 0x1c: "fi", 0x1d: "fl", 0x1e: "ffi", 0x1f: "ffl", // its second one
	}[max(v, 0)]
}

// namedEncoding gives the glyphs of a standard encoding.
func namedEncoding(s string) (names [256]string, ok bool) {
	switch s {
	case "StandardEncoding":
		fill(&names, ' ', ` !"#$%&’()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_‘abcdefghijklmnopqrstuvwxyz{|}~`)
		fill(&names, 0xa1, "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\x00–†‡·\x00¶•‚„”»…‰\x00¿\x00`´ˆ˜¯˘˙¨\x00˚¸\x00˝˛ˇ—")
		fill(&names, 0xe1, "Æ\x00ª\x00\x00\x00\x00ŁØŒº\x00\x00\x00\x00\x00æ\x00\x00\x00ı\x00\x00łøœß")
		return names, true
	case "WinAnsiEncoding":
		fromCharmap(&names, charmap.Windows1252)
		names[0xa0], names[0xad] = "space", "hyphen"
		return names, true
	case "MacRomanEncoding":
		fromCharmap(&names, charmap.Macintosh)
		names[0xca] = "space"
		return names, true
	}
	return names, false
}

// fill names the glyphs of characters from a code on; NUL stands for none.
func fill(names *[256]string, at int, characters string) {
	for _, r := range characters {
		if r != 0 && at < len(names) {
			names[at] = nameOf(r)
		}
		at++
	}
}

func nameOf(r rune) string {
	if r == ' ' {
		return "space"
	}
	if r < 0x7f && r > ' ' {
		return string(r)
	}
	return fmt.Sprintf("uni%04X", r)
}

func fromCharmap(names *[256]string, m *charmap.Charmap) {
	for c := ' '; c <= 0xff; c++ {
		if r := m.DecodeByte(byte(c)); r != utf8.RuneError && r >= ' ' && (r < 0x7f || r > 0x9f) {
			names[c] = nameOf(r)
		}
	}
}

// symbolNames are the glyphs of the font Symbol.
func symbolNames() (names [256]string) {
	fill(&names, ' ', " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧ∆ΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\x00αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼")
	fill(&names, 0xa0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…\x00\x00↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑")
	fill(&names, 0xf1, "〉∫⌠\x00⌡")
	return names
}

// dingbatNames are the glyphs of the font ZapfDingbats.
func dingbatNames() (names [256]string) {
	const first = 0x2700 - ' '
	for c := ' ' + 1; c <= 0xfe; c++ {
		switch {
		case c < 0x7f, c >= 0xa1 && c <= 0xa7, c >= 0xd8 && c <= 0xef, c >= 0xf1:
			names[c] = nameOf(first + c)
		}
	}
	fill(&names, 0xa8, "♣♦♥♠①②③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿➀➁➂➃➄➅➆➇➈➉➊➋➌➍➎➏➐➑➒➓➔→↔↕")
	for c, r := range map[int]rune{
		' ': ' ', 0x25: '☎', 0x2a: '☛', 0x2b: '☞', 0x48: '★', 0x6c: '●', 0x6e: '■', 0x73: '▲', 0x74: '▼', 0x75: '◆', 0x77: '◗',
	} {
		names[c] = nameOf(r)
	}
	return names
}

// cffStrings are the strings that each font in the Compact Font Format has, as far as they name letters.
func cffStrings() []string {
	return strings.Fields(`.notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus
comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at
A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore quoteleft
a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde exclamdown cent sterling fraction yen
florin section currency quotesingle quotedblleft guillemotleft guilsinglleft guilsinglright fi fl endash dagger daggerdbl
periodcentered paragraph bullet quotesinglbase quotedblbase quotedblright guillemotright ellipsis perthousand questiondown grave
acute circumflex tilde macron breve dotaccent dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash
OE ordmasculine ae dotlessi lslash oslash oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter
divide brokenbar degree thorn threequarters twosuperior registered minus eth multiply threesuperior copyright Aacute Acircumflex
Adieresis Agrave Aring Atilde Ccedilla Eacute Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute
Ocircumflex Odieresis Ograve Otilde Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute acircumflex adieresis
agrave aring atilde ccedilla eacute ecircumflex edieresis egrave iacute icircumflex idieresis igrave ntilde oacute ocircumflex
odieresis ograve otilde scaron uacute ucircumflex udieresis ugrave yacute ydieresis zcaron exclamsmall Hungarumlautsmall
dollaroldstyle dollarsuperior ampersandsmall Acutesmall parenleftsuperior parenrightsuperior twodotenleader onedotenleader
zerooldstyle oneoldstyle twooldstyle threeoldstyle fouroldstyle fiveoldstyle sixoldstyle sevenoldstyle eightoldstyle nineoldstyle
commasuperior threequartersemdash periodsuperior questionsmall asuperior bsuperior centsuperior dsuperior esuperior isuperior
lsuperior msuperior nsuperior osuperior rsuperior ssuperior tsuperior ff ffi ffl`)
}

// The widths of the characters from space to tilde in fonts that need no program.
const (
	helvetica = "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 " +
		"584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 " +
		"611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 " +
		"722 500 500 500 334 260 334 584"
	helveticaBold = "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584 " +
		"584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 " +
		"611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 " +
		"778 556 556 500 389 280 389 584"
	times = "250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 500 500 500 500 500 500 500 500 500 500 278 278 564 " +
		"564 564 444 921 722 667 667 722 611 556 722 722 333 389 722 611 889 722 722 556 722 667 556 611 722 722 944 722 722 " +
		"611 333 278 333 469 500 333 444 500 444 500 444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 278 500 500 " +
		"722 500 500 444 480 200 480 541"
	timesBold = "250 333 555 500 500 1000 833 278 333 333 500 570 250 333 250 278 500 500 500 500 500 500 500 500 500 500 333 333 570 " +
		"570 570 500 930 722 667 722 722 667 611 778 778 389 500 778 667 944 722 778 611 778 722 556 667 722 722 1000 722 722 " +
		"667 333 278 333 581 500 333 500 556 444 556 444 333 500 556 278 333 556 278 833 556 500 556 556 444 389 333 556 500 " +
		"722 500 500 444 394 220 394 520"
	timesItalic = "250 333 420 500 500 833 778 214 333 333 500 675 250 333 250 278 500 500 500 500 500 500 500 500 500 500 333 333 675 " +
		"675 675 500 920 611 611 667 722 611 611 722 722 333 444 667 556 833 667 722 611 722 611 500 556 722 611 833 611 556 " +
		"556 389 278 389 422 500 333 500 500 444 500 444 278 500 500 278 278 444 278 722 500 500 500 500 389 389 278 500 444 " +
		"667 444 444 389 400 275 400 541"
)

// standardWidths gives a font without widths those of the standard font that is like it.
func standardWidths(o *font, plain string) {
	const mono, usual = 600, 500
	has := func(s string) bool { return strings.Contains(plain, s) }
	var table string
	switch {
	case has("Courier"), has("Mono"):
		o.width = mono
		return
	case has("Times") && has("Bold"):
		table = timesBold
	case has("Times") && has("Italic"):
		table = timesItalic
	case has("Times"):
		table = times
	case has("Bold"):
		table = helveticaBold
	default:
		table = helvetica
	}
	o.width = usual
	for i, w := range strings.Fields(table) {
		v, _ := strconv.Atoi(w) // the tables have numbers
		o.widths[' '+i] = float64(v)
	}
}
