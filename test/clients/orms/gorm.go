// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"

	driver "gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

type user struct {
	gorm.Model
	Name   string `gorm:"size:100;uniqueIndex"`
	Age    int32
	Active *bool `gorm:"default:true"`
	Orders []order
}

type order struct {
	ID     uint
	UserID uint
	Item   string  `gorm:"size:50;index:by_item,priority:1"`
	Price  float64 `gorm:"type:decimal(10,2);index:by_item,priority:2"`
}

func openGORM() (*gorm.DB, error) {
	db, err := openShop()
	if err != nil {
		return nil, err
	}
	return gorm.Open(driver.New(driver.Config{Conn: db}), &gorm.Config{Logger: logger.Discard, TranslateError: true})
}

// gormModels is GORM's guide: nested creates, conflicts, updates, preloads, soft deletion, transactions, locks.
func gormModels() error {
	db, err := openGORM()
	if err != nil {
		return err
	}
	if err := db.AutoMigrate(&user{}, &order{}); err != nil {
		return err
	}
	ann := user{Name: "Ann", Age: 41, Orders: []order{{Item: "tea", Price: 2.5}, {Item: "pot", Price: 19.99}}}
	if err := db.Create(&ann).Error; err != nil {
		return err
	}
	fmt.Println("created", ann.ID, len(ann.Orders), ann.Orders[1].ID, *ann.Active)
	fmt.Println("duplicate", errors.Is(db.Create(&user{Name: "Ann"}).Error, gorm.ErrDuplicatedKey))
	conflict := clause.OnConflict{Columns: []clause.Column{{Name: "name"}},
		DoUpdates: clause.AssignmentColumns([]string{"age"})}
	fmt.Println("upsert", db.Clauses(conflict).Create(&user{Name: "Ann", Age: 42}).Error)
	batch := []user{{Name: "Bo", Age: 25}, {Name: "Cy", Age: 31}}
	fmt.Println("batch", db.CreateInBatches(batch, 2).RowsAffected)
	var found []user
	err = db.Preload("Orders", func(d *gorm.DB) *gorm.DB { return d.Order("price DESC") }).Where("age > ?",
		30).Order("name").Find(&found).Error
	for _, u := range found {
		fmt.Println("found", u.Name, u.Age, len(u.Orders))
	}
	if err != nil {
		return err
	}
	fmt.Println("updated", db.Model(&user{}).Where("name = ?",
		"Bo").Updates(map[string]any{"age": gorm.Expr("age + ?", 5)}).RowsAffected)
	fmt.Println("deleted", db.Where("name = ?", "Cy").Delete(&user{}).RowsAffected)
	var count, all int64
	db.Model(&user{}).Count(&count)
	db.Unscoped().Model(&user{}).Count(&all)
	fmt.Println("left", count, "of", all)
	err = db.Transaction(func(tx *gorm.DB) error {
		var held user
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&held, "name = ?", "Bo").Error; err != nil {
			return err
		}
		if err := tx.Transaction(func(inner *gorm.DB) error {
			inner.Model(&held).Update("age", 99)
			return errors.New("undone")
		}); err == nil {
			return errors.New("the inner transaction has no error")
		}
		return tx.Model(&held).Update("name", "Bob").Error
	})
	var bob user
	fmt.Println("transaction", err, db.First(&bob, "name = ?", "Bob").Error, bob.Age)
	fmt.Println("none", errors.Is(db.First(&user{}, "name = ?", "Bo").Error, gorm.ErrRecordNotFound))
	var totals []struct {
		Name  string
		Total float64
	}
	err = db.Model(&order{}).Select("users.name, SUM(price) AS total").Joins(
		"JOIN users ON users.id = orders.user_id").Group("users.name").Having("SUM(price) > ?", 1).Scan(&totals).Error
	fmt.Println("totals", totals, err)
	return nil
}

type productBefore struct {
	ID    uint   `gorm:"primaryKey"`
	Code  int32  `gorm:"index"`
	Title string `gorm:"size:20"`
}

func (productBefore) TableName() string { return "products" }

type productAfter struct {
	ID    uint   `gorm:"primaryKey"`
	Code  string `gorm:"size:40;index"`
	Title string `gorm:"type:text"`
	Price int64  `gorm:"not null;default:7"`
}

func (productAfter) TableName() string { return "products" }

// gormMigrations migrates twice, retypes and renames columns, renames an index and a table.
func gormMigrations() error {
	db, err := openGORM()
	if err != nil {
		return err
	}
	for range 2 {
		if err := db.AutoMigrate(&productBefore{}); err != nil {
			return err
		}
	}
	if err := db.Create(&[]productBefore{{Code: 12, Title: "tea"}, {Code: 7, Title: "pot"}}).Error; err != nil {
		return err
	}
	for range 2 {
		if err := db.AutoMigrate(&productAfter{}); err != nil {
			return err
		}
	}
	var after []productAfter
	fmt.Println("retyped", db.Order("code").Find(&after).Error, after)
	m := db.Migrator()
	fmt.Println("rename column", m.RenameColumn(&productAfter{}, "title", "name"), m.HasColumn("products", "name"),
		m.HasColumn("products", "title"))
	fmt.Println("rename index", m.RenameIndex(&productAfter{}, "idx_products_code", "by_code"),
		m.HasIndex("products", "by_code"))
	fmt.Println("rename table", m.RenameTable("products", "goods"), m.HasTable("goods"), m.HasTable("products"))
	var names []string
	fmt.Println("rows", db.Table("goods").Order("id").Pluck("name", &names).Error, names)
	types, err := m.ColumnTypes("goods")
	for _, c := range types {
		length, _ := c.Length()
		nullable, _ := c.Nullable()
		fmt.Fprintln(os.Stdout, "column", c.Name(), c.DatabaseTypeName(), length, nullable)
	}
	return err
}
