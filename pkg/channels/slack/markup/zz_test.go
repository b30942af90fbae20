package markup_test
import ("testing";"fmt";"os";"parley/pkg/channels/slack/markup")
func TestZZ(t *testing.T){
 b,_:=os.ReadFile("/tmp/zz.md")
 for i,p:=range markup.Split(string(b)){ fmt.Printf("=== part %d\n%s\n=== block\n%s\n=== mrkdwn\n%s\n",i,p,markup.Block(p),markup.Mrkdwn(p)) }
}
