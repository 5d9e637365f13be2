// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"xorm.io/xorm"
	"xorm.io/xorm/core"
)

type city struct {
	ID      int64  `xorm:"pk autoincr 'id'"`
	Name    string `xorm:"varchar(80) notnull unique"`
	Country string `xorm:"varchar(2) index"`
	People  int64
}

// xormSync makes tables twice, reads them back, and writes and reads rows.
func xormSync() error {
	db, err := openShop()
	if err != nil {
		return err
	}
	engine, err := xorm.NewEngineWithDB("mysql", "/shop", core.FromDB(db))
	if err != nil {
		return err
	}
	defer engine.Close()
	for range 2 {
		if err := engine.Sync(new(city)); err != nil {
			return err
		}
	}
	tables, err := engine.DBMetas()
	if err != nil {
		return err
	}
	for _, t := range tables {
		fmt.Println("table", t.Name, t.ColumnsSeq(), len(t.Indexes))
	}
	n, err := engine.Insert([]city{{Name: "Bern", Country: "CH", People: 134},
		{Name: "Lyon", Country: "FR", People: 522}, {Name: "Nice", Country: "FR", People: 342}})
	fmt.Println("inserted", n, err)
	var french []city
	err = engine.Where("country = ?", "FR").Desc("people").Limit(5).Find(&french)
	fmt.Println("found", french, err)
	n, err = engine.Where("name = ?", "Nice").Cols("people").Incr("people", 8).Update(&city{})
	fmt.Println("updated", n, err)
	sum, err := engine.SumInt(&city{}, "people")
	fmt.Println("sum", sum, err)
	_, err = engine.Transaction(func(s *xorm.Session) (any, error) {
		if _, err := s.Insert(&city{Name: "Genf", Country: "CH"}); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("undone")
	})
	count, counted := engine.Count(&city{})
	fmt.Println("transaction", err, count, counted)
	return nil
}
