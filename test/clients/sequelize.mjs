// SPDX-License-Identifier: Apache-2.0
//
// Sequelize's getting started: models with the default id, createdAt and updatedAt, sync, finders, associations and transactions.

import { DataTypes, Op, Sequelize } from "sequelize";
import { failed, schema, sections, show } from "./show.mjs";

async function start() {
  const { host, port, database } = await schema("seq");
  const sequelize = new Sequelize(database, "root", "", { host, port, dialect: "mysql", logging: false });
  await sequelize.authenticate();
  const User = sequelize.define("User", {
    firstName: { type: DataTypes.STRING, allowNull: false },
    lastName: DataTypes.STRING,
    email: { type: DataTypes.STRING, unique: true },
    age: DataTypes.INTEGER,
    data: DataTypes.JSON,
    active: { type: DataTypes.BOOLEAN, defaultValue: true },
    kind: DataTypes.ENUM("a", "b"),
  }, { indexes: [{ fields: ["lastName"] }] });
  return { sequelize, User };
}

await sections({
  async model() {
    const { sequelize, User } = await start();
    await sequelize.sync();
    await sequelize.sync();
    show("indexes", (await sequelize.getQueryInterface().showIndex("Users")).map((i) => [i.name, i.unique, i.fields.map((f) => f.attribute)]));
    const jane = await User.create({ firstName: "Jane", lastName: "Doe", email: "jane@example.com", data: { a: 1 }, kind: "b" });
    show("created", [jane.id, jane.active, jane.createdAt instanceof Date]);
    show("bulk", (await User.bulkCreate([{ firstName: "A", lastName: "Z" }, { firstName: "B", lastName: "Z" }])).length);
    show("by key", (await User.findByPk(1)).data);
    show("by email", (await User.findOne({ where: { email: "jane@example.com" } })).firstName);
    show("by index", (await User.findAll({ where: { lastName: "Z" }, order: [["id", "ASC"]] })).map((u) => u.id));
    show("counts", [await User.count(), await User.max("age"), (await User.findAndCountAll({ where: { id: { [Op.gt]: 1 } }, limit: 1 })).count]);
    await failed("duplicate", () => User.create({ firstName: "x", email: "jane@example.com" }));
    show("findOrCreate", (await User.findOrCreate({ where: { email: "q@example.com" }, defaults: { firstName: "Q" } }))[1]);
    await User.upsert({ id: 1, firstName: "Janet", email: "jane@example.com" });
    show("upsert", (await User.findByPk(1)).firstName);
    show("update", await User.update({ age: 3 }, { where: { id: 1 } }));
    await jane.increment("age");
    show("increment", (await jane.reload()).age);
    show("destroy", await User.destroy({ where: { id: 2 } }));
    show("columns", Object.entries(await sequelize.getQueryInterface().describeTable("Users")).map(([name, c]) => `${name} ${c.type}${c.allowNull ? "" : " not null"}${c.autoIncrement ? " auto" : ""}`));
    await sequelize.sync({ alter: true });
    await sequelize.sync({ force: true });
    show("force", await User.count());
    await sequelize.close();
  },

  async associations() {
    const { sequelize } = await start();
    const Team = sequelize.define("Team", { name: DataTypes.STRING });
    const Player = sequelize.define("Player", { name: DataTypes.STRING });
    const Tag = sequelize.define("Tag", { word: DataTypes.STRING });
    Team.hasMany(Player);
    Player.belongsTo(Team);
    Player.belongsToMany(Tag, { through: "PlayerTags" });
    Tag.belongsToMany(Player, { through: "PlayerTags" });
    await sequelize.sync();
    const team = await Team.create({ name: "red", Players: [{ name: "p" }, { name: "q" }] }, { include: Player });
    const [player] = await team.getPlayers({ order: [["id", "ASC"]] });
    await player.addTag(await Tag.create({ word: "fast" }));
    show("included", (await Player.findAll({ include: [Tag, Team], order: [["id", "ASC"]] })).map((p) => [p.name, p.Team.name, p.Tags.map((t) => t.word)]));
    await failed("no team", () => Player.create({ name: "x", TeamId: 99 }));
    await team.destroy();
    show("without team", (await Player.findAll({ order: [["id", "ASC"]] })).map((p) => p.TeamId));
    await sequelize.close();
  },

  async transactions() {
    const { sequelize, User } = await start();
    await sequelize.sync();
    await sequelize.transaction((transaction) => User.create({ firstName: "kept" }, { transaction }));
    await failed("rolled back", () => sequelize.transaction(async (transaction) => {
      await User.create({ firstName: "lost" }, { transaction });
      throw new Error("changed my mind");
    }));
    show("users", (await User.findAll()).map((u) => u.firstName));
    await sequelize.close();
  },
});
