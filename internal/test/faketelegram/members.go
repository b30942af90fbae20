package faketelegram

import "time"

// Block makes a person block the bot, in their private chat. Their messages before
// Unblock do not reach the bot.
func (c *Chat) Block() Update { return c.becomes(statusKicked) }

// Unblock takes that back.
func (c *Chat) Unblock() Update { return c.becomes(statusMember) }

// Kick removes the bot from a group for good; Dismiss lets it be added again, which Add does.
func (c *Chat) Kick() Update { return c.becomes(statusKicked) }

// Dismiss makes the bot leave a group as if it had gone by itself.
func (c *Chat) Dismiss() Update { return c.becomes(statusLeft) }

// Add adds the bot to a group that it is not in.
func (c *Chat) Add() Update { return c.becomes(statusMember) }

// Promote makes the bot an administrator of a group.
func (c *Chat) Promote() Update { return c.becomes(statusAdmin) }

// Vanish deletes the account of a private chat's person. Bots are not told.
func (c *Chat) Vanish() {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.room.status = statusGone
}

// becomes changes the bot's state in the chat, and tells the bot.
func (c *Chat) becomes(status string) Update {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	was := c.room.status
	c.room.status = status
	member := func(status string) map[string]any {
		m := map[string]any{"user": c.room.bot.user, "status": status}
		if status == statusKicked {
			m["until_date"] = 0
		}
		return m
	}
	return c.room.bot.push(Update{Kind: "my_chat_member", Chat: c.room.info.ID}, map[string]any{
		"chat": c.room.info, "from": c.who, "date": time.Now().Unix(),
		"old_chat_member": member(was), "new_chat_member": member(status),
	})
}

// Join posts the service message for people who came into the group.
func (c *Chat) Join(people ...User) Update {
	return c.post(&message{NewMembers: people}, nil)
}

// Leave posts the service message for somebody who left the group.
func (c *Chat) Leave(person User) Update {
	return c.post(&message{LeftMember: &person}, nil)
}

// Migrate makes a group a supergroup with another id, which it returns, with the
// service message in each of them. A message to the old id is refused.
func (c *Chat) Migrate() *Chat {
	to := c.MigrateQuietly()
	c.post(&message{MigrateTo: to.ID()}, nil)
	to.post(&message{MigrateFrom: c.ID()}, nil)
	return to
}

// MigrateQuietly is [Chat.Migrate] without the service messages: the bot learns
// of it when it is refused.
func (c *Chat) MigrateQuietly() *Chat {
	to := c.room.bot.Supergroup(c.room.info.Title, c.room.people...)
	to.who = c.who
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	c.room.moved = to.room
	return to
}
