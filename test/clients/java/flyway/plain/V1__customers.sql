-- A comment, a statement over lines, and one of MySQL's versioned comments.
CREATE TABLE `customer` (
  `id` INT NOT NULL AUTO_INCREMENT,
  `name` VARCHAR(100) NOT NULL, # the other kind of comment
  `added` TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
/*!40000 ALTER TABLE `customer` DISABLE KEYS */;
INSERT INTO customer (name) VALUES ('Ann; the first'), ("Bob"), ('it''s ${greeting}');
/*!40000 ALTER TABLE `customer` ENABLE KEYS */;
