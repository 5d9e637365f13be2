// SPDX-License-Identifier: Apache-2.0

import "reflect-metadata"
import { DataSource } from "typeorm"
import { Album } from "./entities/Album"
import { Author } from "./entities/Author"
import { Category } from "./entities/Category"
import { Photo } from "./entities/Photo"
import { PhotoMetadata } from "./entities/PhotoMetadata"
import { Question } from "./entities/Question"

// MIGRATIONS is set where migrations make the tables.
export const AppDataSource = new DataSource({
    type: "mysql",
    host: process.env.SQL_HOST,
    port: Number(process.env.SQL_PORT),
    username: "root",
    password: "",
    database: "typeorm",
    synchronize: !process.env.MIGRATIONS,
    logging: process.env.LOGGING === "1",
    entities: [Album, Author, Category, Photo, PhotoMetadata, Question],
    migrations: process.env.MIGRATIONS ? [process.env.MIGRATIONS + "/*.ts"] : [],
    timezone: "Z",
})
