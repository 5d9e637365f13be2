module github.com/weftdb/weft/test/clients/orms

go 1.26.0

require (
	github.com/go-sql-driver/mysql v1.9.3
	gorm.io/driver/mysql v1.6.0
	gorm.io/gorm v1.31.1
	xorm.io/xorm v1.3.11
)

require (
	filippo.io/edwards25519 v1.1.0 // indirect
	github.com/goccy/go-json v0.10.5 // indirect
	github.com/golang/snappy v0.0.4 // indirect
	github.com/jinzhu/inflection v1.0.0 // indirect
	github.com/jinzhu/now v1.1.5 // indirect
	github.com/syndtr/goleveldb v1.0.0 // indirect
	golang.org/x/text v0.21.0 // indirect
	xorm.io/builder v0.3.13 // indirect
)
