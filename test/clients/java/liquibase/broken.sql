--liquibase formatted sql

--changeset cy:9
INSERT INTO nowhere VALUES (1);
