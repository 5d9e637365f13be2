--liquibase formatted sql

--changeset cy:6 labels:money
--comment: a table by plain SQL
CREATE TABLE account (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, person_id INT, balance DECIMAL(12,2) NOT NULL DEFAULT 0, KEY by_person (person_id));
INSERT INTO account (person_id, balance) VALUES (1, 10.50), (1, 20);
--rollback DROP TABLE account;

--changeset cy:7 splitStatements:true endDelimiter:;
UPDATE account SET balance = balance * 2; DELETE FROM tag WHERE word = 'blue';
--rollback UPDATE account SET balance = balance / 2;

--changeset cy:8 runOnChange:true
--preconditions onFail:MARK_RAN
--precondition-sql-check expectedResult:1 SELECT COUNT(*) FROM account
UPDATE account SET balance = 0;
--rollback empty
