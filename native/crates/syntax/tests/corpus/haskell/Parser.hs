{-# LANGUAGE LambdaCase #-}
-- | A small parser of expressions.
module Calc.Parser
  ( Expr (..)
  , parseExpr
  , runParser
  ) where

import Control.Applicative
import qualified Data.Map.Strict as Map
import Data.Char (isDigit, isSpace)
import Data.Maybe hiding (fromJust)
import Calc.Types

infixl 6 <+>

-- | An expression.
data Expr
  = Number Double
  | Variable String
  | Binary { operator :: Op, left :: Expr, right :: Expr }
  deriving (Show, Eq)

data Op = Plus | Times deriving stock (Show)

newtype Parser a = Parser { unParser :: String -> Maybe (a, String) }

type Env = Map.Map String Double

type family Elem c where
  Elem [a] = a

-- | What can be evaluated.
class Show a => Eval a where
  type Result a
  eval :: Env -> a -> Maybe Double
  eval _ _ = Nothing

  -- | Without variables.
  evalClosed :: a -> Maybe Double
  evalClosed = eval Map.empty

instance Eval Expr where
  eval _ (Number value) = Just value
  eval env (Variable name) = Map.lookup name env
  eval env (Binary op l r) = apply op <$> eval env l <*> eval env r

instance Functor Parser where
  fmap f (Parser run) = Parser $ \input -> case run input of
    Nothing -> Nothing
    Just (value, rest) -> Just (f value, rest)

deriving instance Ord Op

-- | Applies an operator
-- to two numbers.
apply :: Op -> Double -> Double -> Double
apply Plus = (+)
apply Times = (*)

parseExpr, parseTerm :: Parser Expr
parseExpr = chain parseTerm (Plus <$ symbol '+')
parseTerm = Number . read <$> token digits
  where
    digits = some (satisfy isDigit)

(<+>) :: Parser a -> Parser a -> Parser a
Parser p <+> Parser q = Parser $ \input -> p input <|> q input

satisfy :: (Char -> Bool) -> Parser Char
satisfy test = Parser $ \case
  (c : rest) | test c -> Just (c, rest)
  _ -> Nothing

maxDepth :: Int
maxDepth = 64

{- | Runs a parser
   over all of the text. -}
runParser :: Parser a -> String -> Either String a
runParser parser input =
  case unParser parser input of
    Just (value, rest) | all isSpace rest -> Right value
    _ -> Left ("at " ++ show (length input))

pattern Zero :: Expr
pattern Zero = Number 0

foreign import ccall "math.h sin" c_sin :: Double -> Double

main :: IO ()
main = do
  line <- getLine
  let result = runParser parseExpr line
  either putStrLn (print . evalClosed) result
