// SPDX-License-Identifier: Apache-2.0

import {
    Column, CreateDateColumn, DeleteDateColumn, Entity, Index, JoinTable, ManyToMany, PrimaryGeneratedColumn, Unique, UpdateDateColumn, VersionColumn,
} from "typeorm"
import { Category } from "./Category"

// A table with what the documentation says of columns, indexes and eager relations.
@Entity()
@Unique(["slug"])
@Index(["title", "kind"])
export class Question {
    @PrimaryGeneratedColumn("uuid")
    id: string

    @Column()
    title: string

    @Column({ length: 60 })
    slug: string

    @Column({ type: "enum", enum: ["open", "closed"], default: "open" })
    kind: string

    @Column({ type: "int", unsigned: true, default: 0 })
    votes: number

    @Column({ type: "decimal", precision: 10, scale: 2, nullable: true })
    bounty: string | null

    @Column("simple-array", { nullable: true })
    names: string[]

    @Column("simple-json", { nullable: true })
    profile: { name: string; nickname: string }

    @Column("json", { nullable: true })
    extra: object | null

    @CreateDateColumn()
    created: Date

    @UpdateDateColumn()
    updated: Date

    @DeleteDateColumn()
    deleted: Date | null

    @VersionColumn()
    version: number

    @ManyToMany(() => Category, {
        cascade: true,
        eager: true,
    })
    @JoinTable()
    categories: Category[]
}
