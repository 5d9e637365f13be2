// SPDX-License-Identifier: Apache-2.0
//
// Drizzle's get started and its page on relational queries.

import { drizzle } from 'drizzle-orm/mysql2';
import { desc, eq, gt, sql } from 'drizzle-orm';
import * as schema from './db/schema';
import { adults, comments, groups, posts, usersTable, usersToGroups } from './db/schema';

function show(label: string, value: unknown) {
  console.log(`${label}: ${JSON.stringify(value)}`);
}

const withoutTimes = (k: string, v: unknown) => k === 'createdAt' || k === 'updatedAt' ? undefined : v;

async function main() {
  const db = drizzle(process.env.DATABASE_URL!, { schema, mode: 'default' });

  const user: typeof usersTable.$inferInsert = { name: 'John', age: 30, email: 'john@example.com' };
  await db.insert(usersTable).values(user);
  console.log('New user created!');
  show('Getting all users from the database', await db.select().from(usersTable));
  await db.update(usersTable).set({ age: 31 }).where(eq(usersTable.email, user.email));
  console.log('User info updated!');

  await db.insert(usersTable).values([{ name: 'Ann', age: 15, email: 'ann@example.com', role: 'admin', invitedBy: 1 }, { name: 'Bo', age: 50, email: 'bo@example.com' }]);
  await db.insert(groups).values([{ name: 'g1' }, { name: 'g2', description: 'two' }]);
  await db.insert(usersToGroups).values([{ userId: 1, groupId: 1 }, { userId: 1, groupId: 2 }, { userId: 2, groupId: 2 }]);
  await db.insert(posts).values([
    { content: 'first', authorId: 1, published: true, price: '1.50', score: 0.5, small: 200, made: 2024, day: new Date('2024-02-29'), edited: new Date('2024-02-29T01:02:03.456Z'), data: { a: [1, null] } },
    { content: 'second "quoted"', authorId: 1, made: 2023 }, { content: 'third', authorId: 2 },
  ]);
  await db.insert(comments).values([{ text: 'c1', authorId: 2, postId: 1 }, { text: 'c2', authorId: 3, postId: 1 }, { text: 'c3', authorId: 1, postId: 3 }]);

  show('view', await db.select().from(adults).orderBy(adults.id));
  show('many', await db.query.usersTable.findMany({ with: { posts: { columns: { id: true, content: true } }, invitee: true }, orderBy: usersTable.id }));
  const loaded = await db.query.posts.findMany({ with: { author: true, comments: true } });
  console.log('all columns:', JSON.stringify(loaded, withoutTimes));
  const nested = await db.query.usersTable.findFirst({ with: { posts: { with: { comments: { orderBy: [desc(comments.id)] } }, orderBy: posts.id, limit: 1 }, usersToGroups: { columns: {}, with: { group: true } } } });
  console.log('nested:', JSON.stringify(nested, withoutTimes));
  show('partial', await db.query.posts.findMany({ columns: { id: true }, extras: { loud: sql<string>`upper(${posts.content})`.as('loud') }, with: { author: { columns: { name: true }, with: { usersToGroups: true } } }, where: gt(posts.id, 1) }));
  show('filtered', await db.query.usersTable.findMany({ where: (t, { exists }) => exists(db.select({ one: sql`1` }).from(posts).where(eq(posts.authorId, t.id))), columns: { name: true }, with: { posts: { where: (p, { eq }) => eq(p.published, true), columns: { id: true } } }, limit: 2, offset: 0, orderBy: (t, { asc }) => [asc(t.name)] }));
  const prepared = db.query.usersTable.findFirst({ where: eq(usersTable.id, sql.placeholder('id')), columns: { email: true }, with: { posts: { columns: { id: true }, limit: 1 } } }).prepare();
  show('prepared', [await prepared.execute({ id: 2 }), await prepared.execute({ id: 3 })]);
  const latest = db.select({ id: posts.id, author: posts.authorId }).from(posts).where(eq(posts.authorId, usersTable.id)).orderBy(desc(posts.id)).limit(1).as('latest');
  show('lateral', await db.select({ name: usersTable.name, post: latest.id }).from(usersTable).leftJoinLateral(latest, sql`true`).orderBy(usersTable.id));

  await db.delete(usersToGroups);
  await db.delete(usersTable).where(eq(usersTable.email, user.email));
  console.log('User deleted!');
  await (db.$client as any).end();
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
