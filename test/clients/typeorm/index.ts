// SPDX-License-Identifier: Apache-2.0
//
// TypeORM's getting started and the pages on relations, transactions and the query builder, on tables that it makes from the entities.

import "reflect-metadata"
import { In, IsNull, Like, MoreThan } from "typeorm"
import { AppDataSource } from "./data-source"
import { Album } from "./entities/Album"
import { Author } from "./entities/Author"
import { Category } from "./entities/Category"
import { Photo } from "./entities/Photo"
import { PhotoMetadata } from "./entities/PhotoMetadata"
import { Question } from "./entities/Question"

function show(label: string, value: unknown) {
    console.log(`${label}: ${JSON.stringify(value)}`)
}

async function failed(label: string, call: () => Promise<unknown>) {
    try {
        show(label, ["NOT REFUSED", await call()])
    } catch (e) {
        show(label, [e.name, e.driverError?.errno, e.driverError?.sqlMessage ?? e.message])
    }
}

async function photos() {
    const photo = new Photo()
    photo.name = "Me and Bears"
    photo.description = "I am near polar bears"
    photo.filename = "photo-with-bears.jpg"
    photo.views = 1
    photo.isPublished = true
    const metadata = new PhotoMetadata()
    metadata.height = 640
    metadata.width = 480
    metadata.compressed = true
    metadata.comment = "cybershoot"
    metadata.orientation = "portrait"
    photo.metadata = metadata
    await AppDataSource.getRepository(Photo).save(photo)
    return photo
}

async function album(name: string, photos: Photo[]) {
    const album = new Album()
    album.name = name
    album.photos = photos
    return AppDataSource.manager.save(album)
}

const sections: Record<string, () => Promise<void>> = {
    async photos() {
        const photo = await photos()
        show("Photo has been saved. Photo id is", photo.id)
        const photoRepository = AppDataSource.getRepository(Photo)
        show("All photos from the db", await photoRepository.find())
        show("First photo from the db", await photoRepository.findOneBy({ id: 1 }))
        show("Me and Bears photo from the db", await photoRepository.findOneBy({ name: "Me and Bears" }))
        show("All viewed photos", await photoRepository.findBy({ views: 1 }))
        show("All public photos", await photoRepository.findBy({ isPublished: true }))
        show("Photos and count", await photoRepository.findAndCount())
        const photoToUpdate = await photoRepository.findOneByOrFail({ id: 1 })
        photoToUpdate.name = "Me, my friends and polar bears"
        await photoRepository.save(photoToUpdate)
        show("with metadata", await photoRepository.find({ relations: { metadata: true } }))
        show("joined", await photoRepository.createQueryBuilder("photo").innerJoinAndSelect("photo.metadata", "metadata").getMany())
        const photoToRemove = await photoRepository.findOneByOrFail({ id: 1 })
        await AppDataSource.getRepository(PhotoMetadata).delete({ photo: { id: 1 } })
        await photoRepository.remove(photoToRemove)
        show("left", await photoRepository.count())
    },

    async relations() {
        const photo = await photos()
        const second = await AppDataSource.manager.save(Photo, { name: "Bees", description: "b", filename: "bees.png", views: 2.5, isPublished: false })
        const author = new Author()
        author.name = "Umed"
        author.photos = [photo, second]
        await AppDataSource.manager.save(author)
        show("author", await AppDataSource.getRepository(Author).find({ relations: { photos: { metadata: true } } }))
        await failed("no author", () => AppDataSource.query("UPDATE photo SET authorId = 99"))

        const bears = await album("Bears", [photo])
        await album("Me", [photo, second])
        const loaded = await AppDataSource.getRepository(Photo).findOne({ where: { id: photo.id }, relations: { albums: true }, order: { albums: { id: "ASC" } } })
        show("albums", loaded)
        show("by album", await AppDataSource.getRepository(Photo).find({ where: { albums: { name: Like("M%") } }, order: { id: "DESC" }, take: 1, skip: 1 }))
        bears.photos = []
        await AppDataSource.manager.save(bears)
        show("emptied", await AppDataSource.getRepository(Album).find({ relations: { photos: true }, order: { id: "ASC", photos: { id: "ASC" } } }))

        const question = new Question()
        question.title = "dogs"
        question.slug = "dogs"
        question.names = ["a", "b"]
        question.profile = { name: "John", nickname: "Malkovich" }
        question.extra = { deep: [1, null] }
        question.bounty = "12.50"
        question.categories = ["dogs", "animals"].map((name) => Object.assign(new Category(), { name }))
        await AppDataSource.manager.save(question)
        const questions = AppDataSource.getRepository(Question)
        const eager = await questions.findOneByOrFail({ slug: "dogs" })
        show("eager", [eager.title, eager.kind, eager.votes, eager.bounty, eager.names, eager.profile, eager.extra, eager.version, eager.deleted, eager.created instanceof Date])
        show("categories", eager.categories.map((c) => c.name).sort())
        eager.categories = eager.categories.filter((c) => c.name === "dogs")
        await questions.save(eager)
        show("version", [(await questions.findOneByOrFail({ slug: "dogs" })).version, await AppDataSource.query("SELECT COUNT(*) AS n FROM question_categories_category")])
        await failed("same slug", () => questions.insert({ title: "x", slug: "dogs" }))
        await questions.upsert({ title: "cats", slug: "dogs" }, ["slug"])
        await questions.increment({ slug: "dogs" }, "votes", 3)
        show("upserted", (await questions.find({ select: { title: true, votes: true } })).map((q) => [q.title, q.votes]))
        await questions.softDelete({ slug: "dogs" })
        show("soft", [await questions.count(), (await questions.find({ withDeleted: true })).length])
        await questions.restore({ slug: "dogs" })
        show("restored", await questions.countBy({ deleted: IsNull(), votes: MoreThan(2) }))
        await AppDataSource.createQueryBuilder().relation(Album, "photos").of(bears).add(photo.id)
        show("relation", (await AppDataSource.createQueryBuilder().relation(Album, "photos").of(bears).loadMany()).length)
        await AppDataSource.manager.remove(bears)
        show("join rows", await AppDataSource.query("SELECT * FROM album_photos_photo ORDER BY albumId, photoId"))
    },

    async transactions() {
        await AppDataSource.transaction(async (manager) => {
            await manager.save(Author, { name: "kept" })
            await manager.transaction(async (inner) => {
                await inner.save(Author, { name: "undone" })
                throw new Error("inner")
            }).catch((e) => show("inner", e.message))
        })
        await AppDataSource.transaction("SERIALIZABLE", async (manager) => {
            await manager.save(Author, { name: "lost" })
            throw new Error("changed my mind")
        }).catch((e) => show("rolled back", e.message))
        const queryRunner = AppDataSource.createQueryRunner()
        await queryRunner.connect()
        await queryRunner.startTransaction()
        await queryRunner.manager.save(Author, { name: "by runner" })
        const locked = await queryRunner.manager.getRepository(Author).findOne({ where: { name: "kept" }, lock: { mode: "pessimistic_write" } })
        show("locked", locked)
        await queryRunner.commitTransaction()
        await queryRunner.release()
        show("authors", (await AppDataSource.manager.find(Author, { order: { name: "ASC" } })).map((a) => a.name))
    },

    async builder() {
        const authors = await AppDataSource.manager.save(Author, ["Ann", "Bo", "Cy"].map((name) => ({ name })))
        const rows = [0, 1, 2, 3, 4].map((i) => ({ name: `p${i}`, description: "d", filename: `f${i}`, views: i, isPublished: i % 2 === 0, author: authors[i % 2] }))
        const inserted = await AppDataSource.createQueryBuilder().insert().into(Photo).values(rows).execute()
        show("inserted", inserted.identifiers)
        const photo = () => AppDataSource.getRepository(Photo).createQueryBuilder("photo")
        show("where", await photo().select("photo.name").where("photo.views > :low AND photo.name IN (:...names)", { low: 1, names: ["p0", "p2", "p3"] }).orderBy("photo.id", "DESC").getMany())
        show("grouped", await photo().leftJoin("photo.author", "author").select("author.name", "name").addSelect("SUM(photo.views)", "sum").groupBy("author.name").having("COUNT(*) > 1").orderBy("name").getRawMany())
        show("paged", (await photo().leftJoinAndSelect("photo.author", "author").orderBy("photo.views", "DESC").skip(1).take(2).getManyAndCount()).flat())
        show("subquery", await photo().where((qb) => "photo.authorId IN " + qb.subQuery().select("author.id").from(Author, "author").where("author.name = :name").getQuery()).setParameter("name", "Bo").getCount())
        show("exists", await AppDataSource.getRepository(Author).createQueryBuilder("author").whereExists(photo().where("photo.authorId = author.id")).getCount())
        show("common", await AppDataSource.createQueryBuilder().addCommonTableExpression(AppDataSource.createQueryBuilder().select("author.id", "id").from(Author, "author").where("author.name = 'Ann'"), "chosen").select("chosen.id", "id").from("chosen", "chosen").getRawMany())
        show("updated", (await AppDataSource.createQueryBuilder().update(Photo).set({ views: () => "views + 10" }).where("id IN (:...ids)", { ids: [1, 2] }).execute()).affected)
        show("deleted", (await AppDataSource.createQueryBuilder().delete().from(Photo).where("views < :n", { n: 4 }).execute()).affected)
        show("left", await AppDataSource.getRepository(Photo).find({ select: { id: true, views: true }, where: { id: In([1, 2, 3, 4, 5]) }, order: { id: "ASC" } }))
        show("aggregates", [await AppDataSource.getRepository(Photo).sum("views"), await AppDataSource.getRepository(Photo).maximum("views"), await AppDataSource.getRepository(Photo).exists()])
        const stream = await photo().select("photo.id", "id").orderBy("photo.id").stream()
        for await (const row of stream) show("streamed", row)
        await AppDataSource.getRepository(PhotoMetadata).clear()
    },

    // Tables that are there already are compared with the entities: nothing is left to do.
    async again() {
        await photos()
        await AppDataSource.synchronize()
        const left = await AppDataSource.driver.createSchemaBuilder().log()
        show("to do", left.upQueries.map((q) => q.query))
        show("kept", await AppDataSource.getRepository(Photo).count())
        await AppDataSource.synchronize(true)
        show("made anew", await AppDataSource.getRepository(Photo).count())
    },
}

async function run() {
    await AppDataSource.initialize()
    await sections[process.argv[2]]()
    await AppDataSource.destroy()
}

run().catch((e) => {
    console.error(e)
    process.exit(1)
})
