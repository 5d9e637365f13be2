// SPDX-License-Identifier: Apache-2.0

import { Column, Entity, PrimaryGeneratedColumn } from "typeorm"

@Entity()
export class Category {
    @PrimaryGeneratedColumn()
    id: number

    @Column()
    name: string
}
