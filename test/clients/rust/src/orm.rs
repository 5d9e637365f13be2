// SPDX-License-Identifier: Apache-2.0
//! SeaORM's quick start.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{OnConflict, TableRenameStatement, Alias};
use sea_orm::{ActiveValue::Set, ConnectionTrait, Database, QueryOrder, Schema, TransactionTrait};
use std::error::Error;

pub mod cake {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "cake")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i32,
        #[sea_orm(unique)]
        pub name: String,
        pub price: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub async fn run(address: String) -> Result<(), Box<dyn Error>> {
    let db = Database::connect(address).await?;
    let backend = db.get_database_backend();
    db.execute(backend.build(&Schema::new(backend).create_table_from_entity(cake::Entity))).await?;
    let make = |name: &str, price| cake::ActiveModel { name: Set(name.to_owned()), price: Set(price), ..Default::default() };
    let pie = make("pie", Some(5)).insert(&db).await?;
    println!("{pie:?}");
    cake::Entity::insert_many([make("roll", None), make("tart", Some(3))]).exec(&db).await?;
    let again = OnConflict::column(cake::Column::Name).update_column(cake::Column::Price).to_owned();
    cake::Entity::insert(make("pie", Some(6))).on_conflict(again).exec(&db).await?;
    for model in cake::Entity::find().filter(cake::Column::Price.gt(2)).order_by_asc(cake::Column::Name).all(&db).await? {
        println!("{model:?}");
    }
    let undone: Result<(), _> = db.transaction::<_, _, DbErr>(|tx| Box::pin(async move {
        cake::Entity::delete_many().exec(tx).await?;
        Err(DbErr::Custom("undone".into()))
    })).await;
    println!("{} {}", undone.is_err(), cake::Entity::find().count(&db).await?);
    db.execute(backend.build(&TableRenameStatement::new().table(Alias::new("cake"), Alias::new("cakes")).to_owned())).await?;
    let row = db.query_one(sea_orm::Statement::from_string(backend, "SELECT COUNT(*) AS n FROM cakes")).await?;
    println!("renamed: {:?}", row.map(|r| r.try_get::<i64>("", "n")));
    Ok(())
}
