// SPDX-License-Identifier: Apache-2.0

import { relations, sql } from 'drizzle-orm';
import {
  bigint, boolean, check, date, datetime, decimal, double, index, int, json, mysqlEnum, mysqlTable, mysqlView, primaryKey, serial, text, timestamp, tinyint, uniqueIndex, varchar, year,
} from 'drizzle-orm/mysql-core';

export const usersTable = mysqlTable('users_table', {
  id: serial().primaryKey(),
  name: varchar({ length: 255 }).notNull(),
  age: int().notNull(),
  email: varchar({ length: 255 }).notNull().unique(),
  role: mysqlEnum(['user', 'admin']).default('user').notNull(),
  invitedBy: bigint('invited_by', { mode: 'number', unsigned: true }),
}, (table) => [
  check('age_check', sql`${table.age} > 0`),
  index('name_idx').on(table.name, table.age),
]);

export const usersRelations = relations(usersTable, ({ one, many }) => ({
  invitee: one(usersTable, { fields: [usersTable.invitedBy], references: [usersTable.id] }),
  usersToGroups: many(usersToGroups),
  posts: many(posts),
}));

export const groups = mysqlTable('groups', {
  id: serial().primaryKey(),
  name: text(),
  description: text(),
});

export const groupsRelations = relations(groups, ({ many }) => ({
  usersToGroups: many(usersToGroups),
}));

export const usersToGroups = mysqlTable('users_to_groups', {
  userId: bigint('user_id', { mode: 'number', unsigned: true }).notNull().references(() => usersTable.id),
  groupId: bigint('group_id', { mode: 'number', unsigned: true }).notNull().references(() => groups.id, { onDelete: 'cascade' }),
}, (t) => [
  primaryKey({ name: 'users_to_groups_user_id_group_id', columns: [t.userId, t.groupId] }), // drizzle-kit finds a key of several columns again by this name alone
]);

export const usersToGroupsRelations = relations(usersToGroups, ({ one }) => ({
  group: one(groups, { fields: [usersToGroups.groupId], references: [groups.id] }),
  user: one(usersTable, { fields: [usersToGroups.userId], references: [usersTable.id] }),
}));

export const posts = mysqlTable('posts', {
  id: int().autoincrement().primaryKey(),
  content: text(),
  authorId: bigint('author_id', { mode: 'number', unsigned: true }),
  published: boolean().default(false).notNull(),
  price: decimal({ precision: 10, scale: 2 }),
  score: double(),
  small: tinyint({ unsigned: true }),
  made: year(),
  day: date(),
  edited: datetime({ fsp: 3 }),
  data: json(),
  createdAt: timestamp('created_at').defaultNow().notNull(),
  updatedAt: timestamp('updated_at').defaultNow().onUpdateNow(),
  shout: varchar({ length: 255 }).generatedAlwaysAs(sql`upper(\`content\`)`, { mode: 'stored' }),
}, (t) => [
  uniqueIndex('author_made_idx').on(t.authorId, t.made),
]);

export const postsRelations = relations(posts, ({ one, many }) => ({
  author: one(usersTable, { fields: [posts.authorId], references: [usersTable.id] }),
  comments: many(comments),
}));

export const comments = mysqlTable('comments', {
  id: int().autoincrement().primaryKey(),
  text: text(),
  authorId: bigint('author_id', { mode: 'number', unsigned: true }),
  postId: int('post_id').references(() => posts.id, { onDelete: 'cascade', onUpdate: 'cascade' }),
});

export const commentsRelations = relations(comments, ({ one }) => ({
  post: one(posts, { fields: [comments.postId], references: [posts.id] }),
}));

export const adults = mysqlView('adults').as((qb) => qb.select({ id: usersTable.id, name: usersTable.name }).from(usersTable).where(sql`${usersTable.age} >= 18`));
