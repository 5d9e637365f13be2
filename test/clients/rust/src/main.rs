// SPDX-License-Identifier: Apache-2.0
//! Runs one section of what programs do with sqlx and SeaORM, as they connect by default, against the server of SQL_HOST and SQL_PORT.

mod orm;

use sqlx::mysql::{MySqlPool, MySqlPoolOptions};
use sqlx::{Connection, Row};
use std::error::Error;

fn address() -> String {
    let variable = |name: &str| std::env::var(name).expect("SQL_HOST and SQL_PORT name the server");
    format!("mysql://root@{}:{}", variable("SQL_HOST"), variable("SQL_PORT"))
}

/// Makes the database shop, and returns its address.
async fn shop() -> Result<String, Box<dyn Error>> {
    let mut connection = sqlx::MySqlConnection::connect(&address()).await?;
    sqlx::query("CREATE DATABASE shop").execute(&mut connection).await?;
    connection.close().await?;
    Ok(address() + "/shop")
}

async fn pool() -> Result<MySqlPool, Box<dyn Error>> {
    Ok(MySqlPoolOptions::new().max_connections(4).connect(&shop().await?).await?)
}

#[derive(sqlx::FromRow)]
struct User {
    id: u64,
    name: String,
    age: Option<i32>,
    born: Option<chrono::NaiveDate>,
}

use sqlx::types::chrono;

async fn queries() -> Result<(), Box<dyn Error>> {
    let pool = pool().await?;
    sqlx::query("CREATE TABLE users (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL UNIQUE, age INT, born DATE)").execute(&pool).await?;
    let done = sqlx::query("INSERT INTO users (name, age, born) VALUES (?, ?, ?), (?, ?, ?)")
        .bind("Ann").bind(41).bind(chrono::NaiveDate::from_ymd_opt(1983, 2, 28))
        .bind("Bo").bind(None::<i32>).bind(None::<chrono::NaiveDate>)
        .execute(&pool).await?;
    println!("inserted {} from {}", done.rows_affected(), done.last_insert_id());
    for user in sqlx::query_as::<_, User>("SELECT * FROM users ORDER BY id").fetch_all(&pool).await? {
        println!("{} {} {:?} {:?}", user.id, user.name, user.age, user.born);
    }
    let duplicate = sqlx::query("INSERT INTO users (name) VALUES ('Ann')").execute(&pool).await.unwrap_err();
    println!("unique violation: {}", duplicate.as_database_error().is_some_and(|e| e.is_unique_violation()));
    let mut tx = pool.begin().await?;
    sqlx::query("UPDATE users SET age = 7 WHERE name = ?").bind("Bo").execute(&mut *tx).await?;
    let mut nested = sqlx::Acquire::begin(&mut *tx).await?;
    sqlx::query("DELETE FROM users").execute(&mut *nested).await?;
    nested.rollback().await?;
    tx.commit().await?;
    let row = sqlx::query("SELECT COUNT(*), SUM(age) + 0.5, MAX(born) FROM users").fetch_one(&pool).await?;
    println!("{} rows, oldest {:?}", row.try_get::<i64, _>(0)?, row.try_get::<Option<chrono::NaiveDate>, _>(2)?);
    sqlx::query("ALTER TABLE users ADD COLUMN city VARCHAR(20) DEFAULT 'Bern'").execute(&pool).await?;
    let city: (String,) = sqlx::query_as("SELECT city FROM users WHERE id = ?").bind(1).fetch_one(&pool).await?;
    println!("after ALTER: {}", city.0);
    let mode: (String, String) = sqlx::query_as("SELECT @@sql_mode, @@time_zone").fetch_one(&pool).await?;
    println!("mode has PIPES_AS_CONCAT: {}, zone {}", mode.0.contains("PIPES_AS_CONCAT"), mode.1);
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().last().as_deref() {
        Some("sqlx") => queries().await,
        Some("sea-orm") => orm::run(shop().await?).await,
        _ => Err("there is no such section".into()),
    }
}
